/** Finds the `promptpack` command: in the settings, in the workspace's Python environment, or on the PATH. */

import * as path from "node:path";

export interface Command {
  readonly file: string;
  /** The Python interpreter beside it, which can install packages into the same environment. */
  readonly python: string | undefined;
}

export interface Places {
  /** The setting `promptpack.command`; empty if it is not set. */
  readonly setting: string;
  readonly folders: readonly string[];
  /** The interpreter that the Python extension uses for the workspace. */
  readonly interpreter: string | undefined;
  /** The folders of the PATH. */
  readonly path: readonly string[];
  readonly isWindows: boolean;
}

type IsFile = (file: string) => Promise<boolean>;

export class MissingCommandError extends Error {
  /** The files that would have been used. */
  readonly tried: readonly string[];

  constructor(tried: readonly string[]) {
    super("the command 'promptpack' was not found");
    this.tried = tried;
  }
}

/** Return the first command that exists; a setting is the only place if it is set. */
export async function findCommand(places: Places, isFile: IsFile): Promise<Command> {
  const candidates = places.setting ? fromSetting(places) : fromEnvironments(places);
  for (const file of candidates) {
    if (await isFile(file)) return {file, python: await findPython(file, places.isWindows, isFile)};
  }
  throw new MissingCommandError(candidates);
}

function fromSetting(places: Places): string[] {
  const {setting, folders} = places;
  const isName = !/[\\/]/.test(setting);
  if (isName) return places.path.flatMap((folder) => namesOf(setting, places).map((name) => path.join(folder, name)));
  if (path.isAbsolute(setting)) return [setting];
  const relative = setting.replace(/^\$\{workspaceFolder\}[\\/]/, "");
  return folders.map((folder) => path.join(folder, relative));
}

function fromEnvironments(places: Places): string[] {
  const environments = places.folders.flatMap((folder) => [path.join(folder, ".venv"), path.join(folder, "venv")]);
  const folders = [
    ...(places.interpreter ? besideInterpreter(places.interpreter) : []),
    ...environments.map((folder) => path.join(folder, places.isWindows ? "Scripts" : "bin")),
    ...places.path,
  ];
  return folders.flatMap((folder) => namesOf("promptpack", places).map((name) => path.join(folder, name)));
}

/** An environment of conda on Windows has its interpreter beside the folder of its commands. */
function besideInterpreter(interpreter: string): string[] {
  const folder = path.dirname(interpreter);
  return [folder, path.join(folder, "Scripts")];
}

function namesOf(name: string, places: Places): string[] {
  return places.isWindows && !path.extname(name) ? [`${name}.exe`] : [name];
}

async function findPython(file: string, isWindows: boolean, isFile: IsFile): Promise<string | undefined> {
  const folder = path.dirname(file);
  const names = isWindows ? ["python.exe", path.join("..", "python.exe")] : ["python", "python3"];
  for (const name of names) {
    const python = path.join(folder, name);
    if (await isFile(python)) return python;
  }
  return undefined;
}
