/** The page of the preview: shows the state that the extension sends; every text is set as text, never as HTML. */

import type {PageEvent, PageState} from "../src/page_messages.ts";
import type {Message, Preview, Problem, Span} from "../src/requests.ts";

declare function acquireVsCodeApi(): {postMessage(event: PageEvent): void};

/** Kinds and trusts of spans that have no colour. */
const PLAIN = new Set(["template", "layout", "trusted"]);

const editor = acquireVsCodeApi();

window.addEventListener("message", (event: MessageEvent<PageState>) => show(event.data));
editor.postMessage({type: "ready"});

function show(state: PageState): void {
  const page = document.getElementById("page");
  if (!page) return;
  const scroll = window.scrollY;
  const focused = document.activeElement?.id;
  page.replaceChildren(drawBar(state), ...drawProblems(state), ...drawWarnings(state), ...drawMessages(state));
  if (focused) document.getElementById(focused)?.focus();
  window.scrollTo(0, scroll);
}

function drawBar({file, preview, tests, test, texts}: PageState): HTMLElement {
  const choice = element("select");
  choice.id = "context";
  choice.append(option("", texts.firstContext, !test), ...tests.map((name) => option(name, name, name === test)));
  choice.addEventListener("change", () => editor.postMessage({type: "choose", test: choice.value}));
  const label = element("label", "", texts.context);
  label.append(" ", choice);
  const copy = element("button", "", texts.copy);
  copy.id = "copy";
  copy.disabled = !preview;
  copy.addEventListener("click", () => editor.postMessage({type: "copy"}));
  const bar = element("header");
  bar.append(element("h1", "", preview?.pack || file), label, copy);
  if (preview) bar.append(element("span", "size", sizeOf(preview, preview.token_unit, texts.characters)), drawLegend(preview));
  return bar;
}

/** Name the colours of the spans that the messages have. */
function drawLegend({messages}: Preview): HTMLElement {
  const spans = messages.flatMap((message) => message.spans);
  const kinds = new Set(spans.map((span) => span.kind).filter((kind) => !PLAIN.has(kind)));
  const trusts = new Set(spans.map((span) => span.trust).filter((trust) => !PLAIN.has(trust)));
  const legend = element("span", "legend");
  legend.append(...[...kinds, ...trusts].map((name) => element("span", `span ${name}`, name.replace("_", " "))));
  return legend;
}

function drawProblems({preview, problems, texts}: PageState): HTMLElement[] {
  if (!problems.length) return [];
  const box = element("section", "problems");
  box.setAttribute("role", "status");
  const list = element("ul");
  list.append(...problems.map(drawProblem));
  box.append(element("p", "", preview ? texts.stale : texts.broken), list);
  return [box];
}

function drawProblem(problem: Problem, number: number): HTMLElement {
  const item = element("li");
  const text = `${problem.code} ${problem.message}`.trim();
  if (problem.path) {
    const place = element("button", "place", `${problem.line}:${problem.column} ${text}`);
    place.id = `problem-${number}`;
    place.title = `${problem.path}:${problem.line}:${problem.column}`;
    place.addEventListener("click", () => editor.postMessage({type: "reveal", problem: number}));
    item.append(place);
  } else item.append(text);
  if (problem.hint) item.append(element("p", "hint", problem.hint));
  return item;
}

function drawWarnings({preview, texts}: PageState): HTMLElement[] {
  if (!preview?.warnings.length) return [];
  const box = element("details", "warnings");
  const list = element("ul");
  list.append(...preview.warnings.map((warning) => element("li", "", `${warning.code} ${warning.message}`)));
  box.append(element("summary", "", `${texts.warnings} (${preview.warnings.length})`), list);
  return [box];
}

function drawMessages({preview, problems, texts}: PageState): HTMLElement[] {
  return (preview?.messages ?? []).map((message) => {
    const card = element("article", problems.length ? "message stale" : "message");
    card.dataset["role"] = message.role;
    const head = element("h2", "", [message.role, message.name].filter(Boolean).join(" · "));
    if (message.is_history) head.append(element("span", "badge", texts.history));
    head.append(element("span", "size", sizeOf(message, shortUnit(preview), texts.characters)));
    const text = element("pre");
    text.tabIndex = 0;
    text.append(...message.spans.map(drawSpan));
    card.append(head, text);
    return card;
  });
}

function drawSpan(span: Span): HTMLElement {
  const shown = element("span", `span ${span.kind} ${span.trust}`, span.hidden ? `‹${span.hidden}›` : span.text);
  if (span.hidden) shown.classList.add("hidden");
  shown.title = `${span.origin} (${span.trust})`;
  return shown;
}

function sizeOf({characters, tokens}: Pick<Message, "characters" | "tokens">, unit: string, word: string): string {
  return `${characters.toLocaleString()} ${word} · ${tokens.toLocaleString()} ${unit}`;
}

/** The unit without its details, such as the name of the tokenizer, which the header shows once. */
function shortUnit(preview: Preview | undefined): string {
  return preview?.token_unit.replace(/ \(.*/, "") ?? "";
}

function option(value: string, text: string, selected: boolean): HTMLOptionElement {
  const made = element("option", "", text);
  made.value = value;
  made.selected = selected;
  return made;
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, kind = "", text = "",
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  return made;
}
