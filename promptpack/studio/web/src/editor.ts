/** The editor of one file: CodeMirror with the problems, proposals and explanations of the server. */
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext} from "@codemirror/autocomplete";
import {defaultKeymap, history, historyKeymap} from "@codemirror/commands";
import {bracketMatching, indentUnit} from "@codemirror/language";
import {lintKeymap, setDiagnostics, type Diagnostic} from "@codemirror/lint";
import {highlightSelectionMatches, search, searchKeymap} from "@codemirror/search";
import {Annotation, Compartment, EditorState, RangeSet, StateEffect, StateField, type ChangeSpec, type Extension} from "@codemirror/state";
import {Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, type DecorationSet} from "@codemirror/view";
import {colours, packLanguage, partialLanguage} from "./languages";
import {toOffset, toPlace, toRange} from "./places";
import {Skipped, Refused, type Socket} from "./socket";
import type {Coverage, Fix, Problem} from "./types";

export const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
/** Marks a change that comes from the server or from disk, not from typing. */
const foreign = Annotation.define<boolean>();

const look = EditorView.theme({
  "&": {height: "100%", fontSize: "13px", backgroundColor: "var(--sheet)", color: "var(--ink)"},
  ".cm-scroller": {fontFamily: "var(--mono)", lineHeight: "1.6"},
  ".cm-content": {caretColor: "var(--ink)", padding: "10px 0"},
  ".cm-cursor": {borderLeftColor: "var(--ink)"},
  ".cm-gutters": {backgroundColor: "var(--sheet)", color: "var(--faint)", border: "none"},
  ".cm-activeLine": {backgroundColor: "var(--line-active)"},
  ".cm-activeLineGutter": {backgroundColor: "var(--line-active)", color: "var(--quiet)"},
  "&.cm-focused": {outline: "none"},
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {background: "var(--selection)"},
  ".cm-selectionMatch": {backgroundColor: "var(--match)"},
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {backgroundColor: "var(--match)", outline: "1px solid var(--edge)"},
  ".cm-tooltip": {backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "8px", boxShadow: "var(--shadow)", maxWidth: "min(34rem, 90vw)", overflow: "hidden"},
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {fontFamily: "var(--mono)", maxHeight: "16em"},
  ".cm-tooltip-autocomplete ul li[aria-selected]": {backgroundColor: "var(--accent)", color: "var(--on-accent)"},
  ".cm-completionDetail": {color: "var(--quiet)", fontStyle: "normal"},
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": {color: "inherit"},
  ".cm-tooltip.cm-completionInfo": {padding: "8px 10px", font: "13px/1.5 var(--sans)", whiteSpace: "pre-wrap"},
  ".cm-panels": {backgroundColor: "var(--panel)", color: "var(--ink)", borderColor: "var(--edge)"},
  ".cm-textfield": {backgroundColor: "var(--sheet)", border: "1px solid var(--edge)"},
  ".cm-button": {backgroundImage: "none", backgroundColor: "var(--card)", border: "1px solid var(--edge)", color: "var(--ink)"},
  // The default marks are data: images, which the content security policy refuses.
  ".cm-lintRange": {backgroundImage: "none !important", paddingBottom: "1px"},
  ".cm-lintRange-error": {textDecoration: "underline wavy var(--error) 1.2px", textUnderlineOffset: "3px"},
  ".cm-lintRange-warning": {textDecoration: "underline wavy var(--warning) 1.2px", textUnderlineOffset: "3px"},
  ".cm-lintRange-info": {textDecoration: "underline dotted var(--quiet) 1.5px", textUnderlineOffset: "3px"},
  ".cm-lintPoint:after": {borderBottomColor: "var(--error)"},
  ".cm-diagnostic": {padding: "6px 10px", borderLeft: "3px solid var(--edge)", font: "13px/1.45 var(--sans)", whiteSpace: "pre-wrap"},
  ".cm-diagnostic-error": {borderLeftColor: "var(--error)"},
  ".cm-diagnostic-warning": {borderLeftColor: "var(--warning)"},
  ".cm-collapsedLines": {background: "var(--panel) !important", color: "var(--quiet) !important"},
  ".cm-collapsedLines::before, .cm-collapsedLines::after": {content: '"…" !important'},
  ".cm-specialChar": {color: "var(--error) !important", background: "var(--error-soft)", fontSize: "10.5px", border: "1px solid", borderRadius: "4px", padding: "0 3px"},
  ".cm-changedLine": {backgroundColor: "var(--added-line) !important"},
  ".cm-changedText": {background: "var(--added) !important"},
  ".cm-deletedChunk": {backgroundColor: "var(--removed-line)"},
});

const coverageMark = StateEffect.define<Coverage["lines"] | null>();
class CoverageMarker extends GutterMarker {
  constructor(readonly state: "all" | "some" | "none", readonly words: string) {
    super();
  }
  toDOM() {
    const mark = document.createElement("span");
    mark.className = `cover cover-${this.state}`;
    mark.title = this.words;
    return mark;
  }
}
interface Covered {
  markers: RangeSet<GutterMarker>;
  lines: DecorationSet;
}
const coverage = StateField.define<Covered>({
  create: () => ({markers: RangeSet.empty, lines: Decoration.none}),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(coverageMark)) continue;
      const rows = (effect.value ?? []).filter(([line]) => line <= transaction.state.doc.lines);
      const starts = rows.map(([line, hit, total]) => ({from: transaction.state.doc.line(line).from, hit, total}));
      return {
        markers: RangeSet.of(starts.map((one) => new CoverageMarker(one.hit === one.total ? "all" : one.hit ? "some" : "none", `${one.hit}/${one.total}`).range(one.from)), true),
        lines: Decoration.set(starts.filter((one) => one.hit < one.total).map((one) => Decoration.line({class: one.hit ? "cover-line-some" : "cover-line-none"}).range(one.from)), true),
      };
    }
    return transaction.docChanged ? {markers: value.markers.map(transaction.changes), lines: value.lines.map(transaction.changes)} : value;
  },
  provide: (field) => [
    gutter({class: "cover-gutter", markers: (view) => view.state.field(field).markers}),
    EditorView.decorations.from(field, (value) => value.lines),
  ],
});

const appearance = new Compartment();
const isDark = () => EditorView.theme({}, {dark: getComputedStyle(document.documentElement).colorScheme === "dark"});

/** Hidden characters have their code points, as in the prompt; joiners stay, because they belong to emoji. */
const visibleCharacters = highlightSpecialChars({
  addSpecialChars: /[\u202a-\u202c\u2060-\u2064\u2068\u{e0000}-\u{e007f}]/gu,
  render: (code, description) => {
    const shown = document.createElement("span");
    shown.className = "cm-specialChar";
    shown.textContent = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    shown.title = description ?? "";
    return shown;
  },
});

/** What every editor shares, also the two sides of a comparison. */
export function base(path: string): Extension[] {
  return [
    EditorView.cspNonce.of(nonce),
    look,
    colours,
    path.endsWith(".j2") ? partialLanguage : packLanguage,
    EditorView.lineWrapping,
    visibleCharacters,
    lineNumbers(),
    drawSelection(),
    indentUnit.of("  "),
    appearance.of(isDark()),
  ];
}

const kinds: Record<string, string> = {filter: "function", test: "function", tag: "keyword", block: "keyword", pack: "class", partial: "text", attribute: "property", value: "enum"};

function readable(markdown: string): string {
  return markdown.replace(/\*\*(.+?)\*\*/g, "$1").replace(/^```\w*$/gm, "").trim();
}

function explanation(text: string): HTMLElement {
  const box = document.createElement("div");
  box.className = "explanation";
  box.textContent = readable(text);
  return box;
}

/** Type over several lines without the browser, which would write style attributes that the policy refuses. */
const typeOverLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const {from, to} = view.state.selection.main;
    const {data} = event;
    const doc = view.state.doc;
    const isLong = doc.lineAt(from).number !== doc.lineAt(to).number || data?.includes("\n");
    if (view.composing || event.inputType !== "insertText" || !data || !isLong || view.state.selection.ranges.length > 1) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), {userEvent: "input.type", scrollIntoView: true});
    return true;
  },
});

export class FileEditor {
  readonly view: EditorView;
  problems: Problem[] = [];

  constructor(
    readonly path: string,
    text: string,
    private socket: Socket,
    private onEdit: () => void,
    label: string,
    commands: {save: () => void; fix: () => void; compose: () => void},
  ) {
    const run = (command: () => void) => () => (command(), true);
    this.view = new EditorView({
      state: EditorState.create({
        doc: text,
        extensions: [
          keymap.of([
            {key: "Mod-s", run: run(commands.save), preventDefault: true},
            {key: "Mod-.", run: run(commands.fix), preventDefault: true},
            {key: "Mod-Enter", run: run(commands.compose), preventDefault: true},
          ]),
          base(path),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          history(),
          bracketMatching(),
          typeOverLines,
          closeBrackets(),
          search({top: true}),
          highlightSelectionMatches(),
          autocompletion({override: [(context) => this.complete(context)], icons: false}),
          hoverTooltip((_, offset) => this.explain(offset)),
          coverage,
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({"aria-label": label, spellcheck: "false", tabindex: "0"}),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.annotation(foreign))) this.onEdit();
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get size(): number {
    return this.view.state.doc.length;
  }

  /** Replace the text, as after a change on disk; the cursor stays as near as possible. */
  replace(text: string) {
    const at = this.view.state.selection.main.head;
    this.view.dispatch({changes: {from: 0, to: this.size, insert: text}, selection: {anchor: Math.min(at, text.length)}, annotations: foreign.of(true)});
  }

  show(problems: Problem[]) {
    this.problems = problems;
    const doc = this.view.state.doc;
    const diagnostics: Diagnostic[] = problems.map((one) => {
      const isHere = one.path === this.path && one.line > 0;
      const range = isHere ? this.wordAt(toRange(doc, one)) : {from: 0, to: doc.line(1).to};
      const hint = one.hint ? `\n${one.hint}` : "";
      const where = isHere || !one.path ? "" : `${one.path}:${one.line}: `;
      return {...range, severity: one.severity === "note" ? "info" : one.severity, message: `${one.code}  ${where}${one.message}${hint}`};
    });
    diagnostics.sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  /** A place without a length gets the word at it, or before it, so that there is something to underline. */
  private wordAt(range: {from: number; to: number}) {
    const {state} = this.view;
    if (range.from < range.to) return range;
    return state.wordAt(range.from) ?? state.wordAt(Math.max(range.from - 1, 0)) ?? range;
  }

  cover(lines: Coverage["lines"] | null) {
    this.view.dispatch({effects: coverageMark.of(lines)});
  }

  apply(fix: Fix) {
    const doc = this.view.state.doc;
    const changes: ChangeSpec[] = fix.edits.map((one) => ({...toRange(doc, one), insert: one.insert}));
    this.view.dispatch({changes, userEvent: "input.fix"});
    this.view.focus();
  }

  goTo(line: number, column = 1) {
    const offset = toOffset(this.view.state.doc, line, column);
    this.view.dispatch({selection: {anchor: offset}, effects: EditorView.scrollIntoView(offset, {y: "center"})});
    this.view.focus();
  }

  get line(): number {
    return toPlace(this.view.state.doc, this.view.state.selection.main.head).line;
  }

  darken() {
    this.view.dispatch({effects: appearance.reconfigure(isDark())});
  }

  /** Send the text before a question about it. */
  tell() {
    this.socket.tell("type", {path: this.path, text: this.text});
  }

  private async complete(context: CompletionContext) {
    const before = context.matchBefore(/[\w@^~.-]*$/);
    if (!context.explicit && !before?.text && !/[{|. "'%]$/.test(context.state.sliceDoc(Math.max(context.pos - 1, 0), context.pos))) return null;
    this.tell();
    const found = await quiet(this.socket.ask<{length: number; names: {name: string; kind: string; detail: string; text: string}[]}>("complete", {path: this.path, ...toPlace(context.state.doc, context.pos)}));
    if (!found || !found.names.length) return null;
    const line = context.state.doc.lineAt(context.pos);
    const typed = [...line.text.slice(0, context.pos - line.from)];
    const from = context.pos - typed.slice(typed.length - found.length).join("").length;
    return {
      from,
      validFor: /^[\w@^~-]*$/,
      options: found.names.map((one, rank) => ({label: one.name, detail: one.detail, type: kinds[one.kind] ?? "variable", boost: -rank / 100, info: one.text ? () => explanation(one.text) : undefined})),
    };
  }

  private async explain(offset: number) {
    const doc = this.view.state.doc;
    const found = await quiet(this.socket.ask<{text: string; line: number; column: number; end_line: number; end_column: number}>("explain", {path: this.path, ...toPlace(doc, offset)}));
    if (!found?.text) return null;
    const range = toRange(doc, found);
    return {pos: range.from, end: range.to, above: true, create: () => ({dom: explanation(found.text)})};
  }
}

/** Wait for an answer that may be skipped or refused without harm. */
export async function quiet<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Skipped || error instanceof Refused) return null;
    throw error;
  }
}
