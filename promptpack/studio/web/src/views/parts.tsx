/** Small parts that several views use. */
import type {ComponentChildren} from "preact";
import {app} from "../app";
import {t} from "../words";
import type {Piece, Problem, Status} from "../types";

const paths: Record<string, string> = {
  logo: "M4 4h16v12H12l-5 4v-4H4z M8 8.5h8 M8 12h5",
  packs: "M4 6h16v4H4z M4 14h16v4H4z",
  editor: "M8 6l-5 6 5 6 M16 6l5 6-5 6",
  panel: "M4 5h16v11H11l-4 3v-3H4z",
  auto: "M12 3a9 9 0 100 18 9 9 0 000-18z M12 3v18",
  light: "M12 8a4 4 0 100 8 4 4 0 000-8z M12 2v3 M12 19v3 M2 12h3 M19 12h3 M5 5l2 2 M17 17l2 2 M5 19l2-2 M17 7l2-2",
  dark: "M20 14A8 8 0 1110 4a6.5 6.5 0 0010 10z",
  flow: "M5 4h6v5H5z M13 15h6v5h-6z M8 9v4h8v2",
  file: "M6 3h8l4 4v14H6z M14 3v4h4",
  chevron: "M9 6l6 6-6 6",
  search: "M10.5 4a6.5 6.5 0 100 13 6.5 6.5 0 000-13z M15.5 15.5L21 21",
  play: "M7 4l12 8-12 8z",
  check: "M4 12.5l5 5L20 6.5",
  cross: "M6 6l12 12 M18 6L6 18",
};

export function Icon({name}: {name: string}) {
  return (
    <svg class={`icon-${name}`} viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={paths[name] ?? ""} />
    </svg>
  );
}

/** What lint and tests say, in a dot that has words too. */
export function Dot({status}: {status?: Status}) {
  if (!status) return <i class="dot unknown" />;
  const words = [
    status.errors ? t("errors", status.errors) : "",
    status.warnings ? t("warningsCount", status.warnings) : "",
    status.failed ? t("testsFailed", status.failed) : status.passed ? t("testsOk", status.passed) : "",
  ].filter(Boolean);
  const worst = status.errors || status.failed ? "bad" : status.warnings ? "warn" : "good";
  const label = words.join(", ") || t("lintOk");
  return <i class={`dot ${worst}`} role="img" aria-label={label} title={label} />;
}

export function sumUp(found: (Status | undefined)[]): Status | undefined {
  const known = found.filter((one) => one !== undefined);
  if (!known.length) return undefined;
  const sum = (key: keyof Status) => known.reduce((total, one) => total + one[key], 0);
  return {errors: sum("errors"), warnings: sum("warnings"), passed: sum("passed"), failed: sum("failed")};
}

/** A text by words: what was removed, what was added. */
export function Words({pieces}: {pieces: Piece[]}) {
  return (
    <pre class="words">
      {pieces.map((one) => (one.kind === "kept" ? one.text : one.kind === "added" ? <ins>{one.text}</ins> : <del>{one.text}</del>))}
    </pre>
  );
}

/** Unchanged parts of a long text become three dots. */
export function shorten(pieces: Piece[], around = 160): Piece[] {
  return pieces.map((one, index) => {
    if (one.kind !== "kept" || one.text.length <= 2 * around + 40) return one;
    const start = index === 0 ? "" : one.text.slice(0, around);
    const end = index === pieces.length - 1 ? "" : one.text.slice(-around);
    return {kind: "kept", text: `${start}\n⋯\n${end}`};
  });
}

/** A problem that leads to its place. */
export function ProblemRow({problem, children}: {problem: Problem; children?: ComponentChildren}) {
  const isHere = problem.path === app.path;
  const go = () => (isHere ? app.file?.editor.goTo(problem.line, problem.column) : void app.open(problem.path, problem.line));
  return (
    <li class={`problem ${problem.severity}`}>
      <button class="plain" onClick={go} disabled={!problem.line}>
        <code>{problem.code}</code>
        <span>{problem.message}</span>
        {problem.line > 0 && <small>{isHere ? t("line", problem.line) : `${problem.path}:${problem.line}`}</small>}
      </button>
      {problem.hint && <small class="hint">{problem.hint}</small>}
      {children}
    </li>
  );
}

export function Section({title, children, extra}: {title: string; children: ComponentChildren; extra?: ComponentChildren}) {
  return (
    <section class="section">
      <h3>
        {title}
        {extra}
      </h3>
      {children}
    </section>
  );
}
