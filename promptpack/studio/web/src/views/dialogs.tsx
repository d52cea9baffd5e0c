/** The questions of the page: a release, a conflict, a recorded call, several fixes. */
import {MergeView} from "@codemirror/merge";
import {EditorState} from "@codemirror/state";
import {EditorView} from "@codemirror/view";
import type {ComponentChildren} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import {app} from "../app";
import {base} from "../editor";
import {t, type Word} from "../words";
import type {Problem, Release} from "../types";

export function Dialogs() {
  const dialog = app.dialog;
  switch (dialog?.kind) {
    case "release":
      return <ReleaseDialog release={dialog.release} />;
    case "versions":
      return <VersionsDialog release={dialog.release} from={dialog.from} isRestored={dialog.isRestored} />;
    case "conflict":
      return <ConflictDialog disk={dialog.disk} />;
    case "trace":
      return <TraceDialog />;
    case "keep":
      return <KeepDialog />;
    case "fixes":
      return (
        <Box title={t("fix")}>
          <div class="stack">
            {dialog.fixes.map((fix, index) => (
              <button key={index} onClick={() => (app.show(null), app.file?.editor.apply(fix))}>
                <code>{fix.code}</code> {fix.title}
              </button>
            ))}
          </div>
          <Buttons />
        </Box>
      );
    default:
      return null;
  }
}

function Box({title, children, isWide}: {title: string; children: ComponentChildren; isWide?: boolean}) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog ref={box} class={isWide ? "wide" : ""} aria-labelledby="dialog-title" onCancel={(event) => (event.preventDefault(), app.show(null))}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

function Buttons({children}: {children?: ComponentChildren}) {
  return (
    <div class="buttons">
      <button onClick={() => app.show(null)}>{t("cancel")}</button>
      {children}
    </div>
  );
}

function Levels({release, from, isRestored}: {release: Release; from: string; isRestored?: boolean}) {
  return (
    <div class="stack">
      {Object.entries(release.targets).map(([level, version]) => (
        <button key={level} class={level === release.needed ? "main" : ""} onClick={() => void app.bump(from, level, isRestored)}>
          <span>{t("createDraft", version)}</span>
          <small>
            {t(level as Word)}
            {level === release.needed ? ` · ${t("needed")}` : ""}
          </small>
        </button>
      ))}
    </div>
  );
}

function ReleaseDialog({release}: {release: Release}) {
  const overwrite = () => {
    if (app.file) app.file.overRelease = true;
    app.show(null);
    void app.save();
  };
  return (
    <Box title={t("release", release.label)}>
      <p>{t("releaseWhy")}</p>
      <Levels release={release} from={app.path} />
      {!release.is_locked && <p class="quiet">{t("notLocked")}</p>}
      <Buttons>{!release.is_locked && <button class="danger" onClick={overwrite}>{t("overRelease")}</button>}</Buttons>
    </Box>
  );
}

function VersionsDialog({release, from, isRestored}: {release: Release; from: string; isRestored: boolean}) {
  return (
    <Box title={t("newVersion")}>
      <Levels release={release} from={from} isRestored={isRestored} />
      <Buttons />
    </Box>
  );
}

/** The file on disk on the left, the own text on the right; each part can be taken over. */
function ConflictDialog({disk}: {disk: {text: string; digest: string}}) {
  const place = useRef<HTMLDivElement>(null);
  const merge = useRef<MergeView | null>(null);
  useEffect(() => {
    if (!place.current) return;
    const file = app.file;
    merge.current = new MergeView({
      parent: place.current,
      a: {doc: disk.text, extensions: [base(app.path), EditorState.readOnly.of(true), EditorView.contentAttributes.of({"aria-label": t("savedSide"), tabindex: "0"})]},
      b: {doc: file?.editor.text ?? "", extensions: [base(app.path), EditorView.contentAttributes.of({"aria-label": t("draftSide"), tabindex: "0"})]},
      revertControls: "a-to-b",
      collapseUnchanged: {margin: 3, minSize: 6},
    });
    return () => merge.current?.destroy();
  }, []);
  const save = () => {
    const text = merge.current?.b.state.doc.toString();
    if (text === undefined) return;
    app.file?.editor.replace(text);
    void app.save(text, disk.digest);
  };
  return (
    <Box title={t("conflict")} isWide>
      <p>{t("conflictWhy")}</p>
      <div class="merge" ref={place} />
      <Buttons>
        <button onClick={() => void app.takeDisk()}>{t("takeTheirs")}</button>
        <button class="main" onClick={save}>{t("saveMine")}</button>
      </Buttons>
    </Box>
  );
}

function TraceDialog() {
  const [text, setText] = useState("");
  const [problems, setProblems] = useState<Problem[]>([]);
  const read = async (files: FileList | null) => {
    if (files?.[0]) setText(await files[0].text());
  };
  return (
    <Box title={t("loadCall")}>
      <input type="file" accept=".json,application/json" aria-label={t("recorded")} onChange={(event) => void read(event.currentTarget.files)} />
      <label class="wide">
        <span>{t("recorded")}</span>
        <textarea class="code" rows={10} value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {problems.map((one) => (
        <p class="invalid" role="alert" key={one.message}>
          <code>{one.code}</code> {one.message}
          <small>{one.hint}</small>
        </p>
      ))}
      <Buttons>
        <button class="main" disabled={!text.trim()} onClick={() => void app.loadTrace(text).then(setProblems)}>{t("load")}</button>
      </Buttons>
    </Box>
  );
}

function KeepDialog() {
  const [name, setName] = useState("");
  const keep = (event: Event) => {
    event.preventDefault();
    if (name.trim()) void app.keepContext(name.trim(), app.context ?? {});
  };
  return (
    <Box title={t("keep")}>
      <label class="wide">
        <span>{t("keepName")}</span>
        <input value={name} onInput={(event) => setName(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && keep(event)} />
      </label>
      <Buttons>
        <button class="main" disabled={!name.trim()} onClick={keep}>{t("keep")}</button>
      </Buttons>
    </Box>
  );
}
