/** "Try on a model": runs `promptpack try` as a task, whose terminal stays open. */

import * as vscode from "vscode";

import type {Command} from "./command.ts";
import {type PackTests, TESTS} from "./requests.ts";
import type {Server} from "./server.ts";

type Kind = "scripted" | "openai" | "anthropic";

/** The variable of the environment from which each provider takes its key. */
const KEYS: Readonly<Record<Kind, string>> = {scripted: "", openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY"};

export class ModelRunner {
  private readonly server: Server;
  private readonly secrets: vscode.SecretStorage;

  constructor(server: Server, secrets: vscode.SecretStorage) {
    this.server = server;
    this.secrets = secrets;
  }

  /** Ask for a context, and run the pack on the model of the settings. */
  async tryPack(document: vscode.TextDocument): Promise<void> {
    const pack = await this.server.request<PackTests>(TESTS, document);
    const test = pack && (await chooseTest(pack));
    if (!pack || !test || (document.isDirty && !(await document.save()))) return;
    const command = await this.server.findCommand();
    if (!command) return;
    const settings = readSettings();
    const {kind} = settings;
    if (kind !== "scripted" && !settings.model) {
      await vscode.window.showErrorMessage(vscode.l10n.t("Set promptpack.try.model to the model to ask."));
      await vscode.commands.executeCommand("workbench.action.openSettings", "promptpack.try");
      return;
    }
    const env = await this.readKey(kind);
    if (env) await vscode.tasks.executeTask(makeTask(command, writeArguments(pack, test, settings), env));
  }

  /** Forget the keys that were typed. */
  async forgetKeys(): Promise<void> {
    for (const name of Object.values(KEYS)) if (name) await this.secrets.delete(name);
    await vscode.window.showInformationMessage(vscode.l10n.t("The API keys are deleted."));
  }

  /** Return the key as an environment; it is stored by the editor, encrypted, never in a settings file. */
  private async readKey(kind: Kind): Promise<Record<string, string> | undefined> {
    const name = KEYS[kind];
    if (!name || process.env[name]) return {};
    const stored = await this.secrets.get(name);
    if (stored) return {[name]: stored};
    const prompt = vscode.l10n.t("The API key ({0}); the editor stores it encrypted", name);
    const typed = (await vscode.window.showInputBox({prompt, password: true, ignoreFocusOut: true}))?.trim();
    if (!typed) return undefined;
    await this.secrets.store(name, typed);
    return {[name]: typed};
  }
}

/** Return the name of a test; undefined if there is none, or the user changed their mind. */
async function chooseTest(pack: PackTests): Promise<string | undefined> {
  if (!pack.tests.length) {
    const advice = vscode.l10n.t("{0} has no test. Add one under 'tests': the model gets its context.", pack.pack);
    await vscode.window.showErrorMessage(advice);
    return undefined;
  }
  const placeHolder = vscode.l10n.t("The test whose context the model gets");
  const names = pack.tests.map(({name}) => name);
  return vscode.window.showQuickPick(names, {placeHolder});
}

interface Settings {
  readonly kind: Kind;
  readonly model: string;
  readonly baseUrl: string;
}

function readSettings(): Settings {
  const settings = vscode.workspace.getConfiguration("promptpack.try");
  return {
    kind: settings.get<Kind>("provider", "scripted"),
    model: settings.get<string>("model", "").trim(),
    baseUrl: settings.get<string>("baseUrl", "").trim(),
  };
}

function writeArguments(pack: PackTests, test: string, {kind, model, baseUrl}: Settings): string[] {
  const real = [`--model=${model}`, ...(baseUrl ? [`--base-url=${baseUrl}`] : [])];
  return [
    "try", pack.pack, `--packs=${pack.root}`, ...(pack.locale ? [`--locale=${pack.locale}`] : []),
    `--test=${test}`, `--provider=${kind}`, ...(kind === "scripted" ? [] : real),
  ];
}

/** A process without a shell: no argument is parsed again, and the key is not in a command line. */
function makeTask(command: Command, args: string[], env: Record<string, string>): vscode.Task {
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const execution = new vscode.ProcessExecution(command.file, args, {env, ...(cwd ? {cwd} : {})});
  const task = new vscode.Task(
    {type: "promptpack"}, vscode.TaskScope.Workspace, vscode.l10n.t("Try on a model"), "promptpack", execution, [],
  );
  task.presentationOptions = {echo: false, focus: false, reveal: vscode.TaskRevealKind.Always, showReuseMessage: false};
  return task;
}
