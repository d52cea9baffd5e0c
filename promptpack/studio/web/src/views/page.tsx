/** The frame: the bar at the top, packs on the left, the editor in the middle, the panel on the right. */
import {app, type Pane, type Tab, type Theme} from "../app";
import {t, type Word} from "../words";
import {Dialogs} from "./dialogs";
import {EditorPane} from "./editor_pane";
import {FlowPane} from "./flow";
import {Icon} from "./parts";
import {PreviewTab} from "./preview";
import {ReplyTab} from "./reply";
import {Sidebar} from "./sidebar";
import {TestsTab} from "./trials";
import {UsesTab} from "./uses";
import {VersionsTab} from "./versions";

const panes: Pane[] = ["packs", "editor", "panel"];
const tabs: Record<Tab, () => preact.JSX.Element> = {preview: PreviewTab, reply: ReplyTab, tests: TestsTab, versions: VersionsTab, uses: UsesTab};
const names = Object.keys(tabs) as Tab[];
const themes: Theme[] = ["auto", "light", "dark"];

/** F6 moves between the panes, as in other editors. */
function moveOn(event: KeyboardEvent) {
  if (event.key !== "F6") return;
  event.preventDefault();
  const found = [...document.querySelectorAll<HTMLElement>("[data-pane]")].filter((one) => one.offsetParent);
  const here = found.findIndex((one) => one.contains(document.activeElement));
  const next = found[(here + (event.shiftKey ? found.length - 1 : 1)) % found.length];
  next?.querySelector<HTMLElement>(".cm-content, [role=tab][aria-selected=true], input, button")?.focus();
}

export function Page() {
  return (
    <div class={`page show-${app.pane} center-${app.center}`} onKeyDown={moveOn}>
      <Bar />
      <nav class="sidebar" data-pane aria-label={t("packs")}>
        <Sidebar />
      </nav>
      <main class="center" data-pane aria-label={t("editor")}>
        {app.center === "flow" ? <FlowPane /> : <EditorPane />}
      </main>
      <aside class="panel" data-pane aria-label={t("panel")}>
        <Panel />
      </aside>
      <nav class="switch" aria-label={t("panel")}>
        {panes.map((pane) => (
          <button key={pane} aria-current={app.pane === pane} onClick={() => ((app.pane = pane), app.changed())}>
            <Icon name={pane} />
            {t(pane)}
          </button>
        ))}
      </nav>
      <Notes />
      <Dialogs />
    </div>
  );
}

function Bar() {
  const next = themes[(themes.indexOf(app.theme) + 1) % themes.length];
  return (
    <header class="bar">
      <span class="brand">
        <Icon name="logo" />
        promptpack <b>studio</b>
      </span>
      <span class="root" title={app.list?.root}>{app.list?.root}</span>
      <span class={`state ${app.isConnected ? "on" : "off"}`} role="status">
        <i />
        <span>{t(app.isConnected ? "connected" : "disconnected")}</span>
      </span>
      <button class="plain" onClick={() => app.setLanguage(app.language === "en" ? "zh" : "en")} lang={app.language === "en" ? "zh-CN" : "en"} title={t("languageLabel")}>
        {t("language")}
      </button>
      <button class="plain icon" onClick={() => app.setTheme(next)} aria-label={t("theme", t(app.theme))} title={t("theme", t(app.theme))}>
        <Icon name={app.theme} />
      </button>
    </header>
  );
}

function Panel() {
  if (!app.file || !app.packFile) return <p class="empty">{t("open")}</p>;
  const Shown = tabs[app.tab];
  const move = (event: KeyboardEvent) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const next = names[(names.indexOf(app.tab) + step + names.length) % names.length];
    app.showTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={t("panel")} onKeyDown={move}>
        {names.map((name) => (
          <button key={name} id={`tab-${name}`} role="tab" aria-selected={app.tab === name} aria-controls="shown" tabIndex={app.tab === name ? 0 : -1} onClick={() => app.showTab(name)}>
            {t(name as Word)}
            {name === "tests" && app.trials?.failed ? <span class="count bad">{app.trials.failed}</span> : null}
          </button>
        ))}
      </div>
      <div class="shown" id="shown" role="tabpanel" aria-labelledby={`tab-${app.tab}`} tabIndex={0}>
        <Shown />
      </div>
    </>
  );
}

function Notes() {
  return (
    <div class="notes" aria-live="polite">
      {app.note && <p class="note">{app.note}</p>}
      {app.failure.length > 0 && (
        <div class="note failure" role="alert">
          <ul>
            {app.failure.slice(0, 5).map((one) => (
              <li>
                <code>{one.code}</code> {one.path && one.line ? `${one.path}:${one.line}: ` : ""}
                {one.message}
                {one.hint && <small>{one.hint}</small>}
              </li>
            ))}
          </ul>
          <button class="plain" onClick={() => ((app.failure = []), app.changed())}>{t("close")}</button>
        </div>
      )}
    </div>
  );
}
