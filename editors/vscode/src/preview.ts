/** "Preview prompt": a panel that shows the prompt of the pack in the active editor, while it is typed. */

import {randomBytes} from "node:crypto";

import * as vscode from "vscode";

import type {PageEvent, PageState, PageTexts} from "./page_messages.ts";
import {activePack} from "./packs.ts";
import {type PackTests, type Preview, PREVIEW, type Problem, TESTS} from "./requests.ts";
import type {Server} from "./server.ts";

/** Milliseconds without typing before the prompt is rendered again. */
const DELAY = 150;

export class PreviewPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.TextDocument | undefined;
  private preview: Preview | undefined;
  private problems: readonly Problem[] = [];
  private tests: readonly string[] = [];
  private test = "";
  private timer: NodeJS.Timeout | undefined;
  private running: vscode.CancellationTokenSource | undefined;
  private readonly listeners: vscode.Disposable[];
  private readonly server: Server;
  private readonly folder: vscode.Uri;

  constructor(server: Server, folder: vscode.Uri) {
    this.server = server;
    this.folder = folder;
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.workspace.onDidChangeTextDocument(({document}) => this.isShown(document) && this.renderSoon()),
      vscode.workspace.onDidSaveTextDocument(() => this.renderSoon()),
      server.onReady(() => this.renderSoon()),
    ];
  }

  dispose(): void {
    this.panel?.dispose();
    for (const listener of this.listeners) listener.dispose();
  }

  /** Open the panel beside a pack. */
  show(document: vscode.TextDocument): void {
    if (this.panel) this.panel.reveal(undefined, true);
    else this.open();
    this.change(document);
  }

  private open(): void {
    const media = vscode.Uri.joinPath(this.folder, "dist");
    const panel = vscode.window.createWebviewPanel(
      "promptpack.preview",
      vscode.l10n.t("Prompt"),
      {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true},
      {enableScripts: true, localResourceRoots: [media], enableForms: false, enableCommandUris: false},
    );
    panel.webview.onDidReceiveMessage((event: PageEvent) => this.take(event));
    panel.onDidDispose(() => this.forget());
    panel.webview.html = writePage(panel.webview, media);
    this.panel = panel;
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    this.panel = this.document = this.preview = undefined;
  }

  private follow(): void {
    const document = activePack();
    if (this.panel && document && !this.isShown(document)) this.change(document);
  }

  private change(document: vscode.TextDocument): void {
    if (!this.isShown(document)) {
      this.document = document;
      this.preview = undefined;
      this.problems = this.tests = [];
      this.test = "";
    }
    void this.render();
  }

  private isShown(document: vscode.TextDocument): boolean {
    return this.document?.uri.toString() === document.uri.toString();
  }

  private renderSoon(): void {
    if (!this.panel || !this.document) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.render(), DELAY);
  }

  private async render(): Promise<void> {
    const document = this.document;
    if (!document || !this.panel) return;
    this.running?.cancel();
    const source = (this.running = new vscode.CancellationTokenSource());
    try {
      const found = await this.server.request<Preview>(PREVIEW, document, {test: this.test}, source.token);
      if (!found || source.token.isCancellationRequested || !this.isShown(document)) return;
      this.problems = found.problems;
      if (found.ok) {
        this.preview = found;
        const listed = await this.server.request<PackTests>(TESTS, document, {}, source.token);
        this.tests = listed?.tests.map((test) => test.name) ?? [];
      }
    } catch (error) {
      if (source.token.isCancellationRequested) return;
      this.problems = [problemOf(error)];
    } finally {
      source.dispose();
    }
    if (!source.token.isCancellationRequested && this.isShown(document)) this.post();
  }

  private post(): void {
    if (!this.panel || !this.document) return;
    const file = vscode.workspace.asRelativePath(this.document.uri);
    this.panel.title = vscode.l10n.t("Prompt: {0}", this.preview?.pack ?? file);
    const state: PageState = {
      file,
      preview: this.preview,
      problems: this.problems,
      tests: this.tests,
      test: this.test,
      texts: pageTexts(),
    };
    void this.panel.webview.postMessage(state);
  }

  private async take(event: PageEvent): Promise<void> {
    if (event.type === "ready") this.post();
    if (event.type === "copy") await this.copy();
    if (event.type === "reveal") await this.reveal(this.problems[event.problem]);
    if (event.type === "choose") {
      this.test = event.test;
      await this.render();
    }
  }

  private async copy(): Promise<void> {
    const messages = this.preview?.messages.map(({role, name, spans}) => ({
      role,
      ...(name ? {name} : {}),
      content: spans.map((span) => span.text).join(""),
    }));
    if (!messages) return;
    await vscode.env.clipboard.writeText(JSON.stringify(messages, null, 2));
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0} messages", messages.length), 3_000);
  }

  private async reveal(problem: Problem | undefined): Promise<void> {
    if (!problem?.path) return;
    const at = new vscode.Position(Math.max(problem.line - 1, 0), Math.max(problem.column - 1, 0));
    const selection = new vscode.Range(at, at);
    await vscode.window.showTextDocument(vscode.Uri.file(problem.path), {selection, viewColumn: vscode.ViewColumn.One});
  }
}

/** The page has no text of its own: a script sets all texts, as texts. */
function writePage(webview: vscode.Webview, media: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64url");
  const script = webview.asWebviewUri(vscode.Uri.joinPath(media, "preview.js"));
  const style = webview.asWebviewUri(vscode.Uri.joinPath(media, "preview.css"));
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${webview.cspSource}; require-trusted-types-for 'script'; trusted-types 'none'`;
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
<title>promptpack</title>
</head>
<body><main id="page"></main><script nonce="${nonce}" src="${script}"></script></body>
</html>`;
}

function pageTexts(): PageTexts {
  return {
    context: vscode.l10n.t("Context"),
    firstContext: vscode.l10n.t("First test, or an example"),
    copy: vscode.l10n.t("Copy as JSON"),
    stale: vscode.l10n.t("The text has problems. This is the last prompt that could be rendered."),
    broken: vscode.l10n.t("The text has problems, so there is no prompt yet."),
    warnings: vscode.l10n.t("Warnings"),
    history: vscode.l10n.t("history"),
    characters: vscode.l10n.t("characters"),
  };
}

function problemOf(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return {code: "", severity: "error", message, hint: "", path: "", line: 0, column: 0};
}
