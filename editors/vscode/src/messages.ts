/** What the user is told when the language server cannot run, and what can be done about it. */

import * as vscode from "vscode";

import type {Command, MissingCommandError} from "./command.ts";
import {hasPythonExtension} from "./environment.ts";

const EXTENSION = "promptpack.promptpack";

type Restart = () => Promise<void>;

/** Tell that there is no command. */
export async function showMissing(error: MissingCommandError, restart: Restart): Promise<void> {
  const setting = vscode.workspace.getConfiguration("promptpack").get<string>("command", "").trim();
  const message = setting
    ? vscode.l10n.t("The setting promptpack.command names '{0}', which does not exist.", setting)
    : vscode.l10n.t(
        "The command 'promptpack' was not found in the Python environment of this workspace, in .venv, or on the PATH ({0} places).",
        error.tried.length,
      );
  const actions = new Map([
    [vscode.l10n.t("Open Setting"), openSetting],
    ...(hasPythonExtension() ? [[vscode.l10n.t("Select Interpreter"), selectInterpreter] as const] : []),
    [vscode.l10n.t("How to Install"), openReadme],
    [vscode.l10n.t("Try Again"), restart],
  ]);
  await offer(message, actions);
}

/** Tell that the command is there, but not what the server needs. */
export async function showIncomplete(command: Command, restart: Restart): Promise<void> {
  const {python} = command;
  const message = vscode.l10n.t("The language server needs the extra 'lsp' of promptpack: the package pygls is missing.");
  const actions = new Map<string, () => Promise<void>>([
    ...(python ? [[vscode.l10n.t("Install pygls"), () => install(python, restart)] as const] : []),
    [vscode.l10n.t("Copy Command"), () => copyInstall(python)],
    [vscode.l10n.t("Try Again"), restart],
  ]);
  await offer(message, actions);
}

/** Tell that the server ended. */
export async function showStopped(reason: string, restart: Restart, log: vscode.LogOutputChannel): Promise<void> {
  const last = reason.split("\n").filter((line) => /^\S/.test(line)).at(-1) ?? reason;
  await offer(
    vscode.l10n.t("The language server of promptpack could not be started: {0}", last),
    new Map<string, () => Promise<void>>([
      [vscode.l10n.t("Show Log"), async () => log.show()],
      [vscode.l10n.t("Try Again"), restart],
    ]),
  );
}

async function offer(message: string, actions: Map<string, () => Promise<void>>): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(message, ...actions.keys());
  if (chosen !== undefined) await actions.get(chosen)?.();
}

async function openSetting(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openSettings", "promptpack.command");
}

async function selectInterpreter(): Promise<void> {
  await vscode.commands.executeCommand("python.setInterpreter");
}

async function openReadme(): Promise<void> {
  await vscode.commands.executeCommand("extension.open", EXTENSION);
}

function installArguments(): string[] {
  return ["-m", "pip", "install", "pygls>=2"];
}

/** Install into the environment of the command, and start the server when that is done. */
async function install(python: string, restart: Restart): Promise<void> {
  const name = vscode.l10n.t("Install pygls");
  const task = new vscode.Task(
    {type: "promptpack"}, vscode.TaskScope.Workspace, name, "promptpack",
    new vscode.ProcessExecution(python, installArguments()),
  );
  const execution = await vscode.tasks.executeTask(task);
  const ended = vscode.tasks.onDidEndTaskProcess((event) => {
    if (event.execution !== execution) return;
    ended.dispose();
    if (event.exitCode === 0) void restart();
  });
}

async function copyInstall(python: string | undefined): Promise<void> {
  const [module, pip, verb, requirement] = installArguments();
  const words = [`"${python ?? "python"}"`, module, pip, verb, `"${requirement}"`];
  await vscode.env.clipboard.writeText(words.join(" "));
}
