/** The entry point: commands, the preview, the tests, and the language server that they share. */

import * as vscode from "vscode";

import {onInterpreterChange} from "./environment.ts";
import {ModelRunner} from "./model.ts";
import {activePack, isPack} from "./packs.ts";
import {PreviewPanel} from "./preview.ts";
import {Server} from "./server.ts";
import {PackTestController} from "./tests.ts";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  // The command of a workspace is code of the workspace.
  if (vscode.workspace.isTrusted) await start(context);
  else context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => start(context)));
}

export async function deactivate(): Promise<void> {
  await server?.end();
}

async function start(context: vscode.ExtensionContext): Promise<void> {
  const started = (server = new Server());
  const preview = new PreviewPanel(started, context.extensionUri);
  const tests = new PackTestController(started);
  const runner = new ModelRunner(started, context.secrets);
  context.subscriptions.push(
    started,
    preview,
    tests,
    vscode.commands.registerCommand("promptpack.preview", onPack((document) => preview.show(document))),
    vscode.commands.registerCommand("promptpack.runTests", onPack((document) => tests.runAll(document))),
    vscode.commands.registerCommand("promptpack.try", onPack((document) => runner.tryPack(document))),
    vscode.commands.registerCommand("promptpack.forgetKeys", () => runner.forgetKeys()),
    vscode.commands.registerCommand("promptpack.restart", () => started.restart()),
    vscode.window.onDidChangeActiveTextEditor(markPack),
    vscode.workspace.onDidChangeTextDocument(({document}) => {
      markPack();
      if (!started.isStarted) void serve(started, tests, document);
    }),
    vscode.workspace.onDidChangeConfiguration(
      (event) => event.affectsConfiguration("promptpack.command") && restartIfStarted(started),
    ),
    started.onReady(() => vscode.workspace.textDocuments.filter(isPack).forEach((document) => tests.show(document))),
    vscode.workspace.onDidOpenTextDocument((document) => serve(started, tests, document)),
    vscode.workspace.onDidSaveTextDocument((document) => serve(started, tests, document)),
  );
  const interpreter = await onInterpreterChange(() => restartIfStarted(started));
  if (interpreter) context.subscriptions.push(interpreter);
  markPack();
  await Promise.all(vscode.workspace.textDocuments.map((document) => serve(started, tests, document)));
}

/** Start the server with the first pack, and list the tests of every pack that is opened or saved. */
async function serve(started: Server, tests: PackTestController, document: vscode.TextDocument): Promise<void> {
  if (isPack(document) && (await started.start())) await tests.show(document);
}

function restartIfStarted(started: Server): void {
  if (started.isStarted) void started.restart();
}

let isMarked: boolean | undefined;

/** Tell menus whether the active editor shows a pack. */
function markPack(): void {
  const shows = activePack() !== undefined;
  if (shows === isMarked) return;
  isMarked = shows;
  void vscode.commands.executeCommand("setContext", "promptpack.isPack", shows);
}

function onPack(run: (document: vscode.TextDocument) => unknown): () => Promise<void> {
  return async () => {
    const document = activePack();
    try {
      if (document) await run(document);
      else await vscode.window.showInformationMessage(vscode.l10n.t("Open a pack: a YAML file with the key 'promptpack'."));
    } catch (error) {
      await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  };
}
