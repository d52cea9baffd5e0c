/** An extension host without an editor: the part of the module `vscode` that the extension and its client use. */

import fs from "node:fs";
import Module from "node:module";
import path from "node:path";
import {pathToFileURL, fileURLToPath} from "node:url";

type Listener = (event: any) => unknown;

class EventEmitter {
  private readonly listeners = new Set<Listener>();
  readonly event = (listener: Listener, self?: unknown): Disposable => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    return new Disposable(() => this.listeners.delete(bound));
  };
  fire(event: unknown): void {
    for (const listener of [...this.listeners]) listener(event);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

class Disposable {
  private readonly end: () => void;
  constructor(end: () => void) {
    this.end = end;
  }
  dispose(): void {
    this.end();
  }
  static from(...all: {dispose(): void}[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class CancellationTokenSource {
  private readonly emitter = new EventEmitter();
  readonly token = {isCancellationRequested: false, onCancellationRequested: this.emitter.event};
  cancel(): void {
    if (this.token.isCancellationRequested) return;
    this.token.isCancellationRequested = true;
    this.emitter.fire(undefined);
  }
  dispose(): void {}
}

class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: Position | number, end: Position | number, line?: number, character?: number) {
    this.start = typeof start === "number" ? new Position(start, end as number) : start;
    this.end = typeof start === "number" ? new Position(line ?? 0, character ?? 0) : (end as Position);
  }
}

class Uri {
  readonly scheme: string;
  readonly fsPath: string;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
    this.scheme = text.slice(0, text.indexOf(":"));
    this.fsPath = this.scheme === "file" ? fileURLToPath(text) : "";
  }
  get path(): string {
    return new URL(this.text).pathname;
  }
  toString(): string {
    return this.text;
  }
  static file(file: string): Uri {
    return new Uri(pathToFileURL(file).href);
  }
  static parse(text: string): Uri {
    return new Uri(text);
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    return Uri.file(path.join(base.fsPath, ...parts));
  }
}

export class Document {
  readonly uri: Uri;
  readonly languageId = "yaml";
  isDirty = false;
  isClosed = false;
  version = 1;
  private text: string;
  constructor(file: string) {
    this.uri = Uri.file(file);
    this.text = fs.readFileSync(file, "utf8");
  }
  get fileName(): string {
    return this.uri.fsPath;
  }
  get lineCount(): number {
    return this.text.split("\n").length;
  }
  getText(): string {
    return this.text;
  }
  /** Replace the whole text, as if it were typed. */
  type(text: string): void {
    const range = new Range(0, 0, this.lineCount, 0);
    this.text = text;
    this.version += 1;
    this.isDirty = true;
    emit("onDidChangeTextDocument", {document: this, contentChanges: [{text, range}], reason: undefined});
  }
  async save(): Promise<boolean> {
    fs.writeFileSync(this.uri.fsPath, this.text);
    this.isDirty = false;
    emit("onDidSaveTextDocument", this);
    return true;
  }
}

class TestItems {
  private readonly items = new Map<string, any>();
  private readonly parent: any;
  constructor(parent?: any) {
    this.parent = parent;
  }
  get size(): number {
    return this.items.size;
  }
  get(id: string): any {
    return this.items.get(id);
  }
  add(item: any): void {
    item.parent = this.parent;
    this.items.set(item.id, item);
  }
  delete(id: string): void {
    this.items.delete(id);
  }
  replace(items: any[]): void {
    this.items.clear();
    for (const item of items) this.add(item);
  }
  [Symbol.iterator](): Iterator<[string, any]> {
    return this.items.entries();
  }
}

/** What happened in the editor, and what its user would do. */
export const host = {
  folder: "",
  settings: {} as Record<string, unknown>,
  isTrusted: true,
  interpreter: undefined as string | undefined,
  messages: [] as {text: string; actions: string[]}[],
  /** Chooses an action of the next messages. */
  answer: (_text: string, _actions: string[]): string | undefined => undefined,
  picks: [] as string[],
  inputs: [] as string[],
  executed: [] as {command: string; args: unknown[]}[],
  tasks: [] as any[],
  diagnostics: new Map<string, any[]>(),
  providers: new Map<string, any[]>(),
  panels: [] as any[],
  controllers: [] as any[],
  runs: [] as any[],
  secrets: new Map<string, string>(),
  clipboard: "",
  documents: [] as Document[],
  active: undefined as Document | undefined,
  commands: new Map<string, (...args: unknown[]) => unknown>(),

  /** Open a file in an editor. */
  open(file: string): Document {
    const document = openDocument(file);
    host.active = document;
    emit("onDidChangeActiveTextEditor", {document});
    return document;
  },

  /** Wait until something is true, however long that takes; every change in the editor is a reason to look again. */
  async until<Found>(find: () => Found | undefined | false): Promise<Found> {
    for (;;) {
      const found = find();
      if (found) return found;
      await new Promise<void>((resolve) => changed.push(resolve));
    }
  },
};

const changed: (() => void)[] = [];

function notice(): void {
  for (const resolve of changed.splice(0)) resolve();
}

const emitters = new Map<string, EventEmitter>();

function emitter(name: string): EventEmitter {
  const known = emitters.get(name) ?? new EventEmitter();
  emitters.set(name, known);
  return known;
}

export function emit(name: string, event: unknown): void {
  emitter(name).fire(event);
  notice();
}

function openDocument(file: string): Document {
  const known = host.documents.find((document) => document.fileName === file);
  if (known) return known;
  const document = new Document(file);
  host.documents.push(document);
  emit("onDidOpenTextDocument", document);
  return document;
}

/** A namespace whose events exist as soon as they are asked for. */
function withEvents<Known extends object>(known: Known): Known {
  return new Proxy(known, {
    get: (target, name) =>
      Reflect.get(target, name) ?? (/^on(Did|Will)/.test(String(name)) ? emitter(String(name)).event : undefined),
  });
}

function record(kind: string) {
  return (_selector: unknown, provider: unknown): Disposable => {
    host.providers.set(kind, [...(host.providers.get(kind) ?? []), provider]);
    return new Disposable(() => host.providers.set(kind, host.providers.get(kind)?.filter((one) => one !== provider) ?? []));
  };
}

function say(text: string, ...actions: any[]): Promise<string | undefined> {
  const offered = actions.filter((action) => typeof action === "string");
  host.messages.push({text, actions: offered});
  notice();
  return Promise.resolve(host.answer(text, offered));
}

function makeLog() {
  const lines: string[] = [];
  const add = (text: string): void => void lines.push(text);
  return {
    lines, name: "promptpack", logLevel: 3, onDidChangeLogLevel: new EventEmitter().event, append: add, appendLine: add,
    info: add, warn: add, error: add, debug: add, trace: add, show() {}, clear() {}, replace() {}, hide() {}, dispose() {},
  };
}

const workspace = withEvents({
  get isTrusted() {
    return host.isTrusted;
  },
  get workspaceFolders() {
    return host.folder ? [{uri: Uri.file(host.folder), name: path.basename(host.folder), index: 0}] : undefined;
  },
  get textDocuments() {
    return host.documents;
  },
  notebookDocuments: [],
  getConfiguration: (section: string) => ({
    get: (name: string, fallback: unknown) => host.settings[`${section}.${name}`] ?? fallback,
  }),
  getWorkspaceFolder: () => workspace.workspaceFolders?.[0],
  asRelativePath: (file: Uri | string) => path.relative(host.folder, file instanceof Uri ? file.fsPath : file),
  openTextDocument: async (uri: Uri) => openDocument(uri.fsPath),
  findFiles: async () =>
    (fs.readdirSync(host.folder, {recursive: true}) as string[])
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => Uri.file(path.join(host.folder, file))),
  fs: {readFile: async (uri: Uri) => fs.readFileSync(uri.fsPath)},
  createFileSystemWatcher: () => ({onDidCreate() {}, onDidChange() {}, onDidDelete() {}, dispose() {}}),
  applyEdit: async () => true,
});

const window = withEvents({
  get activeTextEditor() {
    return host.active && {document: host.active};
  },
  get visibleTextEditors() {
    return host.active ? [{document: host.active}] : [];
  },
  tabGroups: withEvents({all: [], activeTabGroup: {tabs: []}}),
  createOutputChannel: makeLog,
  showErrorMessage: say,
  showWarningMessage: say,
  showInformationMessage: say,
  setStatusBarMessage: () => new Disposable(() => {}),
  showQuickPick: async (items: string[]) => items.find((item) => item === host.picks[0]) && host.picks.shift(),
  showInputBox: async () => host.inputs.shift(),
  showTextDocument: async (uri: Uri) => ({document: host.open(uri.fsPath)}),
  createWebviewPanel: (_type: string, title: string, _column: unknown, options: unknown) => {
    const received = new EventEmitter();
    const disposed = new EventEmitter();
    const panel = {
      title, options, states: [] as any[], receive: (event: unknown) => received.fire(event), reveal() {},
      onDidDispose: disposed.event, dispose: () => disposed.fire(undefined),
      webview: {
        html: "", cspSource: "https://page.test", onDidReceiveMessage: received.event,
        asWebviewUri: (uri: Uri) => `https://page.test/${path.basename(uri.fsPath)}`,
        postMessage: async (state: unknown) => {
          panel.states.push(state);
          notice();
        },
      },
    };
    host.panels.push(panel);
    return panel;
  },
});

const languages = new Proxy(
  {
    match: (selector: any, document: Document) =>
      [selector].flat().some((one) => (one.language ?? "yaml") === document.languageId) ? 10 : 0,
    createDiagnosticCollection: () => ({
      set: (uri: Uri, found: any[]) => {
        host.diagnostics.set(uri.toString(), found ?? []);
        notice();
      },
      delete: (uri: Uri) => host.diagnostics.delete(uri.toString()),
      clear: () => host.diagnostics.clear(),
      dispose: () => host.diagnostics.clear(),
    }),
  },
  {get: (known, name) => Reflect.get(known, name) ?? record(String(name))},
);

const commands = {
  registerCommand: (name: string, run: (...args: unknown[]) => unknown) => {
    host.commands.set(name, run);
    return new Disposable(() => host.commands.delete(name));
  },
  executeCommand: async (command: string, ...args: unknown[]) => {
    host.executed.push({command, args});
    notice();
    return host.commands.get(command)?.(...args);
  },
};

const tests = {
  createTestController: (id: string, label: string) => {
    const controller = {
      id, label, items: new TestItems(), profiles: [] as any[], resolveHandler: undefined, refreshHandler: undefined,
      createRunProfile: (name: string, kind: number, run: unknown) => controller.profiles.push({name, kind, run}),
      createTestItem: (id: string, label: string, uri?: Uri) => {
        const item: any = {id, label, uri};
        item.children = new TestItems(item);
        return item;
      },
      createTestRun: (request: unknown) => {
        const run = {request, events: [] as [string, string, any?][], isEnded: false};
        const add = (kind: string) => (item: any, detail?: unknown) => run.events.push([kind, item.label, detail]);
        host.runs.push(run);
        return {
          started: add("started"), passed: add("passed"), failed: add("failed"), errored: add("errored"),
          skipped: add("skipped"), end: () => ((run.isEnded = true), notice()),
        };
      },
      dispose() {},
    };
    host.controllers.push(controller);
    return controller;
  },
};

const extensions = {
  getExtension: (id: string) =>
    id === "ms-python.python" && host.interpreter
      ? {
          activate: async () => ({
            environments: {
              getActiveEnvironmentPath: () => ({path: host.interpreter}),
              resolveEnvironment: async () => ({executable: {uri: Uri.file(host.interpreter ?? "")}}),
              onDidChangeActiveEnvironmentPath: emitter("onDidChangeInterpreter").event,
            },
          }),
        }
      : undefined,
};

class TestMessage {
  readonly message: string;
  expectedOutput?: string;
  actualOutput?: string;
  location?: unknown;
  constructor(message: string) {
    this.message = message;
  }
  static diff(message: string, expected: string, found: string): TestMessage {
    return Object.assign(new TestMessage(message), {expectedOutput: expected, actualOutput: found});
  }
}

/** A class that keeps the arguments that it is made with. */
function valueClass(...names: string[]) {
  return class {
    constructor(...values: unknown[]) {
      names.forEach((name, index) => Object.assign(this, {[name]: values[index]}));
    }
  };
}

const enums: Record<string, Record<string, number>> = {
  ViewColumn: {One: 1, Beside: -2},
  TestRunProfileKind: {Run: 1},
  TaskScope: {Global: 1, Workspace: 2},
  TaskRevealKind: {Always: 1},
  LogLevel: {Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5},
  DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2, Hint: 3},
  DiagnosticTag: {Unnecessary: 1, Deprecated: 2},
  CompletionItemKind: {Text: 0},
  CompletionTriggerKind: {Invoke: 0, TriggerCharacter: 1, TriggerForIncompleteCompletions: 2},
  CompletionItemTag: {Deprecated: 1},
  SymbolKind: {File: 0, Property: 6, TypeParameter: 25},
  SymbolTag: {Deprecated: 1},
  TextDocumentSaveReason: {Manual: 1, AfterDelay: 2, FocusOut: 3},
  ProgressLocation: {Window: 10},
  FileType: {File: 1, Directory: 2},
};

const api: Record<string, unknown> = {
  version: "1.106.0",
  EventEmitter, Disposable, CancellationTokenSource, Position, Range, Uri, TestMessage, workspace, window, languages,
  commands, tests, extensions, ...enums,
  Location: valueClass("uri", "range"),
  CompletionItem: valueClass("label", "kind"),
  CompletionList: valueClass("items", "isIncomplete"),
  SemanticTokens: valueClass("data", "resultId"),
  SnippetString: valueClass("value"),
  TextEdit: valueClass("range", "newText"),
  Diagnostic: valueClass("range", "message", "severity"),
  CodeActionKind: Object.assign(valueClass("value"), {Empty: {append: (value: string) => ({value})}, QuickFix: {value: "quickfix"}}),
  Task: valueClass("definition", "scope", "name", "source", "execution", "problemMatchers"),
  ProcessExecution: valueClass("process", "args", "options"),
  TestRunRequest: valueClass("include", "exclude"),
  MarkdownString: valueClass("value"),
  CancellationError: class extends Error {},
  tasks: withEvents({
    executeTask: async (task: unknown) => {
      const execution = {task};
      host.tasks.push(execution);
      notice();
      return execution;
    },
  }),
  env: {
    language: "en", appName: "host", clipboard: {writeText: async (text: string) => void (host.clipboard = text)},
    openExternal: async () => true,
  },
  l10n: {t: (text: string, ...values: unknown[]) => text.replace(/\{(\d)\}/g, (_, number) => String(values[Number(number)]))},
};

/** Classes of features of the protocol that are not used here, but extended. */
for (const name of [
  "CallHierarchyItem", "CodeAction", "CodeLens", "DocumentLink", "InlayHint", "SymbolInformation",
  "TabInputCustom", "TabInputNotebook", "TabInputText", "TabInputTextDiff", "TypeHierarchyItem",
]) {
  api[name] = valueClass();
}

/** Load the built extension as the editor does, with this module in place of `vscode`. */
export function loadExtension(file: string): {activate(context: unknown): Promise<void>; deactivate(): Promise<void>} {
  const loader = Module as unknown as {_load: (name: string, ...rest: unknown[]) => unknown};
  const load = loader._load;
  loader._load = (name, ...rest) => (name === "vscode" ? api : load(name, ...rest));
  return Module.createRequire(import.meta.url)(file);
}

export function makeContext(folder: string) {
  return {
    subscriptions: [] as {dispose(): void}[],
    extensionUri: Uri.file(folder),
    secrets: {
      get: async (name: string) => host.secrets.get(name),
      store: async (name: string, value: string) => void host.secrets.set(name, value),
      delete: async (name: string) => void host.secrets.delete(name),
    },
  };
}

export {Range};
