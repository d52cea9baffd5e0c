/** What the page knows, and what it does; the views read it and call its methods. */
import {FileEditor, quiet} from "./editor";
import {Refused, Skipped, Socket, type Event} from "./socket";
import {speak, t, type Language} from "./words";
import type {Compared, Context, ContextInfo, Coverage, Fix, Flow, Hit, Opened, PackFile, PackList, PackRow, Preview, Problem, Release, Status, Trial, Uses, Verdict} from "./types";

export type Tab = "preview" | "reply" | "tests" | "versions" | "uses";
export type Pane = "packs" | "editor" | "panel";
export type Theme = "auto" | "light" | "dark";
export interface Chosen {
  kind: "auto" | "test" | "kept" | "example" | "own";
  name: string;
}
export type Dialog =
  | {kind: "release"; release: Release; text: string}
  | {kind: "versions"; release: Release; from: string; isRestored: boolean}
  | {kind: "conflict"; disk: {text: string; digest: string}}
  | {kind: "trace"}
  | {kind: "fixes"; fixes: Fix[]}
  | {kind: "keep"}
  | null;

/** One open file: its editor, and what is on disk. */
export interface OpenFile {
  editor: FileEditor;
  opened: Opened;
  saved: string;
  base: string;
  isDirty: boolean;
  isRestored: boolean;
  disk: {digest: string} | null;
  others: {is_elsewhere: boolean; is_left: boolean};
  overRelease: boolean;
}
export interface Asked {
  text: string;
  /** Where the words of this round start; a retry says them again. */
  start: number;
  rounds: {round: number; verdict: Verdict; last: boolean}[];
  isRunning: boolean;
  id: number;
  note: string;
}

const SMALL = 200_000;
const MAX_FILES = 30;

class App {
  socket = new Socket();
  isConnected = false;
  list: PackList | null = null;
  status: Record<string, Status> = {};
  query = "";
  hits: {found: Hit[]; more: number} | null = null;
  expanded = new Set<string>();
  files = new Map<string, OpenFile>();
  path = "";
  center: "editor" | "flow" = "editor";
  pane: Pane = "packs";
  tab: Tab = "preview";
  theme: Theme = "auto";
  language: Language = "en";
  preview: Preview | null = null;
  previewProblems: Problem[] = [];
  info: ContextInfo | null = null;
  chosen: Chosen = {kind: "auto", name: ""};
  context: Context | null = null;
  contextError = "";
  model = "";
  isForm = true;
  reply = "";
  verdict: Verdict | null = null;
  checkProblems: Problem[] = [];
  asked: Asked | null = null;
  trials: {tests: Trial[]; failed: number} | null = null;
  coverage: Coverage | null = null;
  isCovered = false;
  isTesting = false;
  sides = {old: "saved", new: "draft"};
  compared: Compared | null = null;
  comparing: "prompts" | "contract" | "file" = "prompts";
  uses: Uses | null = null;
  flow: Flow | null = null;
  note = "";
  failure: Problem[] = [];
  dialog: Dialog = null;
  private listeners = new Set<() => void>();
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private isDrawn = true;
  private turn = 0;

  start() {
    this.theme = (localStorage.getItem("theme") as Theme | null) ?? "auto";
    const preferred = navigator.language.startsWith("zh") ? "zh" : "en";
    this.language = (localStorage.getItem("language") as Language | null) ?? preferred;
    this.dress();
    speak(this.language);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.dress());
    this.socket.onState = (isOpen, why) => void this.connected(isOpen, why);
    this.socket.onEvent = (event) => this.heard(event);
    this.socket.connect();
    addEventListener("beforeunload", () => this.keepNow());
    addEventListener("pagehide", () => this.socket.close());
    addEventListener("pageshow", (event) => event.persisted && this.socket.connect());
    addEventListener("popstate", () => this.fromAddress());
  }

  subscribe(listener: () => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Draw the page again, once per frame however much has changed. */
  changed() {
    if (!this.isDrawn) return;
    this.isDrawn = false;
    queueMicrotask(() => {
      this.isDrawn = true;
      for (const listener of this.listeners) listener();
    });
  }

  get file(): OpenFile | null {
    return this.files.get(this.path) ?? null;
  }

  get pack(): PackRow | null {
    return this.list?.packs.find((row) => row.files.some((one) => one.path === this.path)) ?? null;
  }

  get packFile(): PackFile | null {
    return this.pack?.files.find((one) => one.path === this.path) ?? null;
  }

  // Connection and events

  private async connected(isOpen: boolean, why = "") {
    this.isConnected = isOpen;
    if (why === "too many tabs") this.say(t("tooManyTabs"));
    this.changed();
    if (!isOpen) return;
    await this.loadList();
    for (const one of this.files.values()) this.tellText(one);
    if (this.file) this.look();
    else this.fromAddress();
  }

  private fromAddress() {
    const path = decodeURIComponent(location.hash.slice(1));
    if (path && path !== this.path) void this.open(path);
  }

  async loadList() {
    const list = await this.guarded(this.socket.ask<PackList>("packs"));
    if (!list) return;
    this.list = list;
    this.status = list.status;
    this.changed();
  }

  private heard(event: Event) {
    if (event.event === "status") {
      this.status = {...this.status, ...(event.status as Record<string, Status>)};
      this.changed();
    }
    if (event.event === "files") void this.filesChanged(event.files as Record<string, string>);
    if (this.asked && event.of === this.asked.id) this.heardModel(event);
  }

  private async filesChanged(digests: Record<string, string>) {
    await this.loadList();
    for (const [path, digest] of Object.entries(digests)) {
      const one = this.files.get(path);
      if (!one || one.base === digest) continue;
      if (one.isDirty || !digest) {
        one.disk = {digest};
        this.changed();
      } else {
        await this.reload(one);
      }
    }
    this.flow = null;
    if (this.center === "flow") void this.loadFlow();
    if (this.file) this.look();
  }

  private async reload(one: OpenFile) {
    const opened = await quiet(this.socket.ask<Opened>("open", {path: one.opened.path}));
    if (!opened) return;
    Object.assign(one, {opened, saved: opened.text, base: opened.digest, isDirty: false, isRestored: false, disk: null, others: opened});
    one.editor.replace(opened.text);
    this.tellText(one);
    this.changed();
  }

  // Files

  async open(path: string, line = 0) {
    this.center = "editor";
    this.pane = "editor";
    if (!this.files.has(path)) {
      const opened = await this.guarded(this.socket.ask<Opened>("open", {path, take_draft: true}));
      if (!opened) return;
      this.addFile(opened);
      this.closeOldFiles();
    }
    const isOther = this.path !== path;
    this.path = path;
    if (isOther) this.forgetResults();
    const row = this.pack;
    if (row) this.expanded.add(row.name);
    history.replaceState(null, "", `#${encodeURIComponent(path)}`);
    this.changed();
    this.look();
    const one = this.file;
    requestAnimationFrame(() => {
      if (line && one) one.editor.goTo(line);
      else one?.editor.view.focus();
    });
  }

  private addFile(opened: Opened) {
    const text = opened.draft?.text ?? opened.text;
    const commands = {save: () => void this.save(), fix: () => void this.fix(), compose: () => this.look()};
    const editor = new FileEditor(opened.path, text, this.socket, () => this.edited(opened.path), opened.path, commands);
    const isOld = opened.draft !== null && opened.draft.base !== opened.digest;
    const one: OpenFile = {
      editor,
      opened,
      saved: opened.text,
      base: opened.draft?.base ?? opened.digest,
      isDirty: opened.draft !== null,
      isRestored: opened.draft !== null,
      disk: isOld ? {digest: opened.digest} : null,
      others: opened,
      overRelease: false,
    };
    this.files.set(opened.path, one);
    this.tellText(one);
  }

  private forgetResults() {
    Object.assign(this, {preview: null, previewProblems: [], info: null, chosen: {kind: "auto", name: ""}, context: null, contextError: "", model: ""});
    Object.assign(this, {verdict: null, checkProblems: [], asked: null, trials: null, coverage: null, isCovered: false, compared: null, uses: null});
    this.sides = {old: "saved", new: "draft"};
  }

  private tellText(one: OpenFile) {
    this.socket.tell("type", {path: one.opened.path, text: one.editor.text});
  }

  private edited(path: string) {
    const one = this.files.get(path);
    if (!one) return;
    if (!one.isDirty || one.isRestored) {
      one.isDirty = true;
      one.isRestored = false;
      this.changed();
    }
    const pause = one.editor.size < SMALL ? 150 : 500;
    this.later("look", pause, () => {
      this.tellText(one);
      this.look();
    });
    // Not put off by more typing: a crash loses at most the last second.
    const name = `keep ${path}`;
    if (!this.timers.has(name)) this.later(name, 400, () => this.keep(one));
  }

  private keep(one: OpenFile) {
    const text = one.editor.text;
    const isSaved = text === one.saved && !one.disk;
    if (one.isDirty === isSaved) {
      one.isDirty = !isSaved;
      this.changed();
    }
    this.socket.tell("type", {path: one.opened.path, text});
    void this.keepDraft(one, isSaved);
  }

  private async keepDraft(one: OpenFile, isSaved: boolean) {
    const found = await quiet(this.socket.ask<OpenFile["others"]>("keep", {path: one.opened.path, base: one.base, is_saved: isSaved}));
    if (!found) return;
    one.others = found;
    this.changed();
  }

  /** Open a draft of this file that another tab left behind. */
  async takeDraft() {
    const path = this.path;
    this.forgetFile(path);
    this.path = "";
    await this.open(path);
  }

  /** Only some files stay open, because the server keeps the text of each one. */
  private closeOldFiles() {
    for (const [path, one] of this.files) {
      if (this.files.size <= MAX_FILES) return;
      if (!one.isDirty && !one.disk && path !== this.path) this.forgetFile(path);
    }
  }

  private forgetFile(path: string) {
    this.files.get(path)?.editor.view.destroy();
    this.files.delete(path);
    this.socket.tell("type", {path, text: null});
  }

  private keepNow() {
    for (const [path, file] of this.files) {
      if (this.timers.has(`keep ${path}`)) this.keep(file);
    }
  }

  private later(name: string, milliseconds: number, run: () => void) {
    clearTimeout(this.timers.get(name));
    const timer = setTimeout(() => {
      this.timers.delete(name);
      run();
    }, milliseconds);
    this.timers.set(name, timer);
  }

  /** Ask for everything about the text as it is typed: problems, the prompt, and what the open tab shows. */
  look() {
    const file = this.file;
    if (!file) return;
    void this.findProblems(file);
    if (!this.packFile) return;
    void this.loadContext();
    void this.render();
    if (this.tab === "reply" && this.reply) void this.check();
    if (this.tab === "versions") void this.compare();
    if (this.tab === "uses") void this.loadUses();
  }

  private async findProblems(file: OpenFile) {
    const found = await quiet(this.socket.ask<{problems: Problem[]}>("problems", {path: file.opened.path}));
    if (!found) return;
    file.editor.show(found.problems);
    this.changed();
  }

  async fix(line = this.file?.editor.line ?? 0, code = "") {
    const file = this.file;
    if (!file) return;
    this.tellText(file);
    const found = await this.guarded(this.socket.ask<{fixes: Fix[]}>("fixes", {path: this.path, line}));
    const fixes = found?.fixes.filter((one) => !code || one.code === code) ?? [];
    if (fixes.length === 1) file.editor.apply(fixes[0]);
    else if (fixes.length) this.show({kind: "fixes", fixes});
  }

  // The prompt and its context

  async loadContext() {
    const path = this.path;
    const info = await quiet(this.socket.ask<ContextInfo>("context", {path}));
    if (!info || path !== this.path) return;
    this.info = info;
    this.changed();
  }

  /** The fields that say which context a request uses. */
  get given() {
    const {kind, name} = this.chosen;
    const isTest = kind === "test";
    return {path: this.path, context: isTest || kind === "auto" ? null : (this.context ?? {}), test: isTest ? name : "", model: this.model};
  }

  async render() {
    const path = this.path;
    const turn = ++this.turn;
    const found = await quiet(this.socket.ask<Preview>("preview", this.given));
    if (!found || path !== this.path || turn !== this.turn) return;
    this.previewProblems = found.problems;
    if (found.ok) this.preview = found;
    else if (!this.preview) void this.renderSaved(turn);
    if (found.ok && this.chosen.kind !== "own") this.context = found.context;
    this.changed();
  }

  /** A text that is broken from the start, such as an old draft, has the prompt of the saved file. */
  private async renderSaved(turn: number) {
    const found = await quiet(this.socket.ask<Preview>("preview", {...this.given, is_saved: true}));
    if (!found?.ok || turn !== this.turn) return;
    this.preview = found;
    this.changed();
  }

  choose(chosen: Chosen) {
    this.chosen = chosen;
    this.contextError = "";
    const test = this.info?.tests.find((one) => one.name === chosen.name);
    if (chosen.kind === "test" && test) this.context = test.context;
    if (chosen.kind === "kept") this.context = this.info?.kept[chosen.name] ?? {};
    if (chosen.kind === "example") this.context = this.info?.example ?? {};
    this.changed();
    this.later("render", 0, () => this.look());
  }

  setContext(context: Context) {
    this.context = context;
    this.chosen = {kind: "own", name: ""};
    this.contextError = "";
    this.changed();
    this.later("render", 200, () => this.look());
  }

  async keepContext(name: string, context: Context | null) {
    const found = await this.guarded(this.socket.ask<{kept: Record<string, Context>}>("keep_context", {path: this.path, name, context}));
    if (!found || !this.info) return;
    this.info.kept = found.kept;
    this.chosen = context ? {kind: "kept", name} : {kind: "own", name: ""};
    this.show(null);
  }

  async loadTrace(trace: string): Promise<Problem[]> {
    try {
      const found = await this.socket.ask<{context: Context; missing: string[]; left_out: string[]; reply: string}>("trace", {path: this.path, trace});
      this.setContext(found.context);
      if (found.reply) this.reply = found.reply;
      const words = [found.missing.length ? t("missing", found.missing.join(", ")) : "", found.left_out.length ? t("leftOut", found.left_out.join(", ")) : ""];
      this.say(words.filter(Boolean).join(" · "));
      this.show(null);
      return [];
    } catch (error) {
      if (error instanceof Refused) return error.problems;
      if (error instanceof Skipped) return [];
      throw error;
    }
  }

  async copy(form: "json" | "curl" | "python") {
    const found = await this.guarded(this.socket.ask<{text: string}>("copy", {...this.given, form}));
    if (!found) return;
    await navigator.clipboard.writeText(found.text);
    this.say(t("copied"));
  }

  // Replies

  setReply(reply: string) {
    this.reply = reply;
    this.changed();
    this.later("check", 250, () => void this.check());
  }

  async check() {
    if (!this.reply.trim()) {
      this.verdict = null;
      return this.changed();
    }
    try {
      this.verdict = await this.socket.ask<Verdict>("check", {...this.given, reply: this.reply});
      this.checkProblems = [];
    } catch (error) {
      if (error instanceof Skipped) return;
      if (!(error instanceof Refused)) throw error;
      this.checkProblems = error.problems;
    }
    this.changed();
  }

  async tryModel() {
    const asked: Asked = {text: "", start: 0, rounds: [], isRunning: true, id: 0, note: ""};
    this.asked = asked;
    this.verdict = null;
    this.changed();
    type Done = {reply: string; verdict: Verdict | null; rounds: number; input_tokens: number; output_tokens: number};
    const found = await this.guarded(this.socket.ask<Done>("try", this.given, (id) => (asked.id = id)));
    asked.isRunning = false;
    if (found) {
      this.reply = found.reply;
      this.verdict = found.verdict;
      asked.note = found.input_tokens || found.output_tokens ? t("sentTokens", found.input_tokens, found.output_tokens) : "";
    }
    this.changed();
  }

  stop() {
    if (this.asked) this.socket.tell("stop", {of: this.asked.id});
  }

  private heardModel(event: Event) {
    const asked = this.asked;
    if (!asked) return;
    if (event.event === "words") asked.text += String(event.text);
    if (event.event === "retry") {
      asked.note = String(event.why);
      asked.text = asked.text.slice(0, asked.start);
    }
    if (event.event === "judged") {
      asked.rounds.push({round: Number(event.round), verdict: event.verdict as Verdict, last: Boolean(event.last)});
      if (!event.last) asked.text += "\n\n";
      asked.start = asked.text.length;
    }
    this.changed();
  }

  // Tests, versions, uses, flow

  async runTests() {
    this.isTesting = true;
    this.changed();
    this.trials = (await this.guarded(this.socket.ask<{tests: Trial[]; failed: number}>("tests", {path: this.path}))) ?? this.trials;
    this.coverage = (await this.guarded(this.socket.ask<Coverage>("coverage", {path: this.path}))) ?? this.coverage;
    this.isTesting = false;
    this.drawCoverage(this.isCovered);
  }

  drawCoverage(isCovered: boolean) {
    this.isCovered = isCovered;
    this.file?.editor.cover(isCovered && this.coverage ? this.coverage.lines : null);
    this.changed();
  }

  setSide(side: "old" | "new", value: string) {
    this.sides = {...this.sides, [side]: value};
    void this.compare();
    this.changed();
  }

  async compare() {
    const context = this.given.context;
    const found = await this.guarded(this.socket.ask<Compared>("compare", {path: this.path, ...this.sides, context, locale: this.packFile?.locale ?? ""}));
    if (found) this.compared = found;
    this.changed();
  }

  async loadUses() {
    const name = this.pack?.name;
    if (!name) return;
    const found = await this.guarded(this.socket.ask<Uses>("uses", {name, path: this.path}));
    if (found) this.uses = found;
    this.changed();
  }

  async loadFlow() {
    this.flow = await this.guarded(this.socket.ask<Flow>("flow"));
    this.changed();
  }

  showFlow() {
    this.center = "flow";
    this.pane = "editor";
    this.changed();
    void this.loadFlow();
  }

  showTab(tab: Tab) {
    this.tab = tab;
    this.changed();
    if (tab === "versions") void this.compare();
    if (tab === "uses") void this.loadUses();
    if (tab === "reply" && this.reply) void this.check();
    if (tab === "tests" && !this.trials && this.packFile) void this.runTests();
  }

  // Saving and versions

  async save(text = this.file?.editor.text ?? "", base = this.file?.base ?? "") {
    const file = this.file;
    if (!file) return;
    type Saved = {saved?: {text: string; digest: string}; conflict?: {text: string; digest: string}; release?: Release};
    const found = await this.guarded(this.socket.ask<Saved>("save", {path: this.path, text, base, over_release: file.overRelease}));
    if (!found) return;
    if (found.release) this.show({kind: "release", release: found.release, text});
    if (found.conflict) this.show({kind: "conflict", disk: found.conflict});
    if (!found.saved) return;
    file.base = found.saved.digest;
    file.saved = found.saved.text;
    if (file.editor.text !== text && text === found.saved.text && this.dialog?.kind === "conflict") file.editor.replace(text);
    Object.assign(file, {isDirty: file.editor.text !== file.saved, isRestored: false, disk: null});
    this.tellText(file);
    this.show(null);
    this.say(t("saved"));
    this.look();
  }

  async bump(from: string, level: string, isRestored = false) {
    const found = await this.guarded(this.socket.ask<{path: string; version: string}>("bump", {path: from, level, is_restored: isRestored}));
    if (!found) return;
    const source = this.files.get(from);
    if (source && source.isDirty) {
      source.editor.replace(source.saved);
      Object.assign(source, {isDirty: false, isRestored: false, disk: null});
      this.tellText(source);
    }
    this.show(null);
    await this.loadList();
    await this.open(found.path);
    this.say(t("created", found.version));
  }

  async askVersions(from: string, isRestored = false) {
    const release = await this.guarded(this.socket.ask<Release>("new_versions", {path: from, is_restored: isRestored}));
    if (release) this.show({kind: "versions", release: {...release, label: from}, from, isRestored});
  }

  async discard() {
    const file = this.file;
    if (!file) return;
    await quiet(this.socket.ask("keep", {path: this.path, base: file.base, is_saved: true}));
    await this.reload(file);
    this.look();
  }

  async showConflict() {
    const opened = await this.guarded(this.socket.ask<Opened>("open", {path: this.path}));
    if (opened) this.show({kind: "conflict", disk: {text: opened.text, digest: opened.digest}});
  }

  async takeDisk() {
    await this.discard();
    this.show(null);
  }

  // The page itself

  async search(query: string) {
    this.query = query;
    this.changed();
    const words = query.trim();
    const hits = words ? await quiet(this.socket.ask<{found: Hit[]; more: number}>("search", {words})) : null;
    if (words && !hits) return;
    this.hits = this.query.trim() ? hits : null;
    this.changed();
  }

  toggle(name: string) {
    if (!this.expanded.delete(name)) this.expanded.add(name);
    this.changed();
  }

  show(dialog: Dialog) {
    this.dialog = dialog;
    this.changed();
  }

  say(note: string) {
    this.note = note;
    this.failure = [];
    this.changed();
    this.later("note", 4000, () => {
      this.note = "";
      this.changed();
    });
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    localStorage.setItem("theme", theme);
    this.dress();
    this.changed();
  }

  setLanguage(language: Language) {
    this.language = language;
    localStorage.setItem("language", language);
    speak(language);
    this.changed();
  }

  private dress() {
    const dark = this.theme === "dark" || (this.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.style.colorScheme = dark ? "dark" : "light";
    for (const one of this.files.values()) one.editor.darken();
  }

  /** Wait for an answer; its problems are shown at the bottom of the page. */
  async guarded<T>(answer: Promise<T>): Promise<T | null> {
    try {
      const found = await answer;
      return found;
    } catch (error) {
      if (error instanceof Skipped) return null;
      if (!(error instanceof Refused)) throw error;
      this.failure = error.problems;
      this.changed();
      return null;
    }
  }
}

export const app = new App();
