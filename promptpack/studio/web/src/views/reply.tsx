/** A reply of a model: what was repaired, what violates the contract, and the correction that would be sent. */
import {app} from "../app";
import {t} from "../words";
import type {Mark, Verdict} from "../types";
import {Icon, ProblemRow, Section} from "./parts";

export function ReplyTab() {
  const asked = app.asked;
  return (
    <>
      <div class="line">
        {asked?.isRunning ? (
          <button onClick={() => app.stop()}>{t("stop")}</button>
        ) : (
          <button class="main" onClick={() => void app.tryModel()}>
            <Icon name="play" />
            {t("tryIt")}
          </button>
        )}
        <small class="quiet">{t("model", app.list?.model ?? "")}</small>
        <span class="gap" />
        {asked?.note && <small class="quiet">{asked.note}</small>}
      </div>
      {asked?.isRunning && (
        <pre class="stream" aria-live="polite" aria-busy="true">
          {asked.text}
          <span class="caret" />
        </pre>
      )}
      {asked && !asked.isRunning && asked.rounds.length > 1 && (
        <ol class="rounds">
          {asked.rounds.map((one) => (
            <li key={one.round}>
              {t("round", one.round)}: <Outcome verdict={one.verdict} />
            </li>
          ))}
        </ol>
      )}
      <label class="wide">
        <span>{t("pasteReply")}</span>
        <textarea class="code" rows={8} value={app.reply} spellcheck={false} onInput={(event) => app.setReply(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void app.check()} />
      </label>
      {app.checkProblems.length > 0 && (
        <div class="broken" role="status">
          <ul>{app.checkProblems.slice(0, 5).map((one, index) => <ProblemRow key={index} problem={one} />)}</ul>
        </div>
      )}
      {app.verdict && <VerdictView verdict={app.verdict} />}
    </>
  );
}

function Outcome({verdict}: {verdict: Verdict}) {
  return <b class={verdict.ok ? "good" : "bad"}>{t(verdict.ok ? "accepted" : "refused")} · {verdict.outcome}</b>;
}

function VerdictView({verdict}: {verdict: Verdict}) {
  const repairs = verdict.marks.filter((one) => one.kind === "repair");
  const violations = verdict.marks.filter((one) => one.kind === "violation");
  return (
    <div data-testid="verdict">
      <p class={`outcome ${verdict.ok ? "good" : "bad"}`} role="status">
        <Icon name={verdict.ok ? "check" : "cross"} />
        <Outcome verdict={verdict} />
      </p>
      {verdict.marks.length > 0 && (
        <pre class="marked">
          {verdict.pieces.map((piece, index) => {
            const marks = piece.marks.map((one) => verdict.marks[one]);
            const text = piece.hidden ? <span class="unseen">{piece.hidden}</span> : piece.text;
            if (!marks.length) return text;
            const kind = marks.some((one) => one.kind === "violation") ? "violation" : "repair";
            return <mark key={index} class={kind} title={marks.map(describe).join("\n")}>{piece.text || piece.hidden ? text : "‸"}</mark>;
          })}
        </pre>
      )}
      {violations.length > 0 && (
        <Section title={t("violations")}>
          <ul class="marks">
            {violations.map((one, index) => (
              <li key={index}>
                <code>{one.code}</code> <code class="path">{one.path || "/"}</code> {one.message}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {repairs.length > 0 && (
        <Section title={t("repairs")}>
          <ul class="marks">
            {repairs.map((one, index) => (
              <li key={index}>
                <code>{one.code}</code> {one.path && <code class="path">{one.path}</code>} <del>{one.before}</del> <ins>{one.after}</ins>
                <small class="tag">{t("risk", one.risk ?? "")}</small>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {verdict.unchecked.length > 0 && <p class="quiet">{t("unchecked", verdict.unchecked.join(", "))}</p>}
      {verdict.correction && (
        <Section title={t("correction")}>
          <pre class="correction">{verdict.correction}</pre>
        </Section>
      )}
    </div>
  );
}

function describe(mark: Mark): string {
  return mark.kind === "violation" ? `${mark.code} ${mark.path || "/"}: ${mark.message}` : `${mark.code} (${mark.risk}): ${mark.before} → ${mark.after}`;
}
