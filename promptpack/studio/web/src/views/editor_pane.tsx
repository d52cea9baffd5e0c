/** The open file: its name and state, the editor, and its problems. */
import {useLayoutEffect, useRef, useState} from "preact/hooks";
import {app, type OpenFile} from "../app";
import {t} from "../words";
import {Icon, ProblemRow} from "./parts";

export function EditorPane() {
  const file = app.file;
  if (!file) {
    return (
      <div class="welcome">
        <Icon name="logo" />
        <h1>promptpack studio</h1>
        <p>{t("welcome")}</p>
        <p class="quiet">{t("open")}</p>
      </div>
    );
  }
  return (
    <>
      <Head file={file} />
      <Banner file={file} />
      <Host file={file} key={file.opened.path} />
      <Problems file={file} />
    </>
  );
}

function Head({file}: {file: OpenFile}) {
  const pack = app.packFile;
  const name = app.pack?.name;
  return (
    <div class="head">
      <h1>
        {name ?? file.opened.path}
        {pack && <small>{pack.version}</small>}
        {pack?.locale && <span class="tag">{pack.locale}</span>}
      </h1>
      <span class={`saving ${file.isDirty ? "dirty" : ""}`} role="status">{t(file.isDirty ? "draft" : "saved")}</span>
      {pack && <button onClick={() => void app.askVersions(app.path)}>{t("newVersion")}</button>}
      <button class="main" disabled={!file.isDirty && !file.disk} onClick={() => void app.save()} title="Ctrl+S">{t("save")}</button>
    </div>
  );
}

function Banner({file}: {file: OpenFile}) {
  return (
    <>
      <DiskBanner file={file} />
      {file.others.is_elsewhere && (
        <div class="banner warn" role="status">
          <span>{t("elsewhere")}</span>
        </div>
      )}
      {file.others.is_left && !file.isDirty && (
        <div class="banner" role="status">
          <span>{t("leftDraft")}</span>
          <button onClick={() => void app.takeDraft()}>{t("openDraft")}</button>
        </div>
      )}
    </>
  );
}

function DiskBanner({file}: {file: OpenFile}) {
  if (file.disk) {
    const isGone = !file.disk.digest;
    return (
      <div class="banner warn" role="alert">
        <span>{t(isGone ? "deletedOnDisk" : "changedOnDisk")}</span>
        {!isGone && <button onClick={() => void app.showConflict()}>{t("show")}</button>}
      </div>
    );
  }
  if (!file.isRestored) return null;
  return (
    <div class="banner" role="status">
      <span>{t("restored")}</span>
      <button onClick={() => void app.discard()}>{t("discard")}</button>
    </div>
  );
}

function Host({file}: {file: OpenFile}) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.replaceChildren(file.editor.view.dom);
    file.editor.view.requestMeasure();
  }, [file]);
  return <div class="host" ref={place} />;
}

function Problems({file}: {file: OpenFile}) {
  const [isOpen, open] = useState(true);
  const problems = file.editor.problems;
  const errors = problems.filter((one) => one.severity === "error").length;
  return (
    <section class={`problems ${problems.length && isOpen ? "open" : ""}`} aria-label={t("problems")}>
      <button class="plain title" aria-expanded={isOpen} disabled={!problems.length} onClick={() => open(!isOpen)}>
        <span class={`count ${errors ? "bad" : problems.length ? "warn" : "good"}`}>{problems.length}</span>
        {t(problems.length ? "problems" : "noProblems")}
      </button>
      {isOpen && problems.length > 0 && (
        <ul>
          {problems.slice(0, 200).map((one, index) => (
            <ProblemRow key={index} problem={one}>
              {one.path === app.path && one.line > 0 && (
                <button class="plain fix" onClick={() => void app.fix(one.line, one.code)} title="Ctrl+.">{t("fix")}</button>
              )}
            </ProblemRow>
          ))}
        </ul>
      )}
    </section>
  );
}
