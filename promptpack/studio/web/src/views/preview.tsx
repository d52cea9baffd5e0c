/** The live prompt: messages as cards, spans by origin, hidden characters, sizes; and its context. */
import {useState} from "preact/hooks";
import {app} from "../app";
import {t} from "../words";
import type {Span} from "../types";
import {ContextForm} from "./context_form";
import {ProblemRow} from "./parts";

export function PreviewTab() {
  const shown = app.preview;
  const isOld = app.previewProblems.length > 0;
  return (
    <>
      <ContextForm />
      {isOld && (
        <div class="broken" role="status">
          {shown && <p>{t("lastGood")}</p>}
          <ul>{app.previewProblems.slice(0, 5).map((one, index) => <ProblemRow key={index} problem={one} />)}</ul>
        </div>
      )}
      {shown && (
        <div class={`prompt ${isOld ? "old" : ""}`} data-testid="prompt">
          <div class="facts">
            <span>{t("characters", shown.characters.toLocaleString())}</span>
            <span>{t("tokens", shown.tokens.toLocaleString(), shown.token_unit)}</span>
            <CopyMenu />
          </div>
          {shown.warnings.length > 0 && (
            <ul class="warnings">{shown.warnings.map((one, index) => <ProblemRow key={index} problem={one} />)}</ul>
          )}
          {shown.messages.map((message, index) => (
            <article class={`card role-${message.role}`} key={index}>
              <header>
                <b>{message.role}</b>
                {message.name && <span class="tag">{message.name}</span>}
                {message.is_history && <span class="tag">{t("history")}</span>}
                <small>
                  {t("characters", message.characters.toLocaleString())} · {message.tokens.toLocaleString()}
                </small>
              </header>
              <div class="text" lang={app.packFile?.locale || undefined}>
                {message.spans.map((span, at) => <SpanText key={at} span={span} />)}
              </div>
            </article>
          ))}
          <Legend />
        </div>
      )}
    </>
  );
}

function SpanText({span}: {span: Span}) {
  const isValue = !["template", "layout", "reply_format"].includes(span.kind);
  const classes = [span.trust, isValue ? "value" : "", span.partials.length ? "partial" : "", span.kind === "reply_format" ? "generated" : "", span.kind === "layout" ? "layout" : ""].filter(Boolean).join(" ");
  if (span.hidden) return <span class={`${classes} unseen`} title={span.origin}>{span.hidden}</span>;
  const go = () => {
    if (span.path && !getSelection()?.toString()) void app.open(span.path, span.line);
  };
  return <span class={classes} title={span.origin} onDblClick={go}>{span.text}</span>;
}

function Legend() {
  return (
    <p class="legend" aria-label={t("legend")}>
      <span class="trusted">{t("trusted")}</span>
      <span class="trusted partial">{t("partialText")}</span>
      <span class="trusted value">{t("inputText")}</span>
      <span class="fenced value">{t("fenced")}</span>
      <span class="untrusted value">{t("untrustedText")}</span>
      <span class="secret value">{t("secretText")}</span>
    </p>
  );
}

function CopyMenu() {
  const [isOpen, open] = useState(false);
  const forms = ["json", "curl", "python"] as const;
  const copy = (form: (typeof forms)[number]) => {
    open(false);
    void app.copy(form);
  };
  return (
    <span class="menu" onKeyDown={(event) => event.key === "Escape" && open(false)}>
      <button class="plain" aria-expanded={isOpen} onClick={() => open(!isOpen)}>{t("copy")}…</button>
      {isOpen && (
        <span class="choices">
          {forms.map((form) => <button key={form} onClick={() => copy(form)}>{t(form)}</button>)}
        </span>
      )}
    </span>
  );
}
