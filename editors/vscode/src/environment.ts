/** What the editor knows about the places where `promptpack` can be installed. */

import * as fs from "node:fs/promises";
import * as path from "node:path";

import * as vscode from "vscode";

import {type Command, findCommand} from "./command.ts";

const PYTHON_EXTENSION = "ms-python.python";

/** The part of the API of the Python extension that is used here. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): {readonly path: string};
    resolveEnvironment(
      environment: {readonly path: string},
    ): Promise<{readonly executable: {readonly uri?: vscode.Uri}} | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

export async function findWorkspaceCommand(): Promise<Command> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri);
  return findCommand(
    {
      setting: vscode.workspace.getConfiguration("promptpack").get<string>("command", "").trim(),
      folders: folders.map((folder) => folder.fsPath),
      interpreter: await findInterpreter(folders[0]),
      path: (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder)),
      isWindows: process.platform === "win32",
    },
    async (file) => (await fs.stat(file).catch(() => undefined))?.isFile() ?? false,
  );
}

/** Call a function whenever the user chooses another interpreter. */
export async function onInterpreterChange(listener: () => void): Promise<vscode.Disposable | undefined> {
  return (await openPython())?.environments?.onDidChangeActiveEnvironmentPath(listener);
}

export function hasPythonExtension(): boolean {
  return vscode.extensions.getExtension(PYTHON_EXTENSION) !== undefined;
}

async function findInterpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await openPython())?.environments;
  if (!environments) return undefined;
  const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return environment?.executable.uri?.fsPath;
}

async function openPython(): Promise<PythonApi | undefined> {
  return vscode.extensions.getExtension<PythonApi>(PYTHON_EXTENSION)?.activate();
}
