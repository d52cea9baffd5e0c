/** The language server: started with the first pack, stopped with the window. */

import {type ChildProcess, spawn} from "node:child_process";
import {once} from "node:events";

import * as vscode from "vscode";
import {type CancellationToken, CloseAction, ErrorCodes, LanguageClient, ResponseError} from "vscode-languageclient/node";

import {type Command, MissingCommandError} from "./command.ts";
import {findWorkspaceCommand} from "./environment.ts";
import {showIncomplete, showMissing, showStopped} from "./messages.ts";

const MAX_ERRORS = 4_000;
const MAX_RESTARTS = 3;
const IS_INCOMPLETE = /\bPP920\b/;

/** A server that runs, and its client. */
interface Connection {
  readonly client: LanguageClient;
  readonly process: ServerProcess;
}

export class Server implements vscode.Disposable {
  private connection: Promise<Connection | undefined> | undefined;
  private command: Command | undefined;
  private isEnded = false;
  private lastRestart: Promise<unknown> = Promise.resolve();
  private readonly ready = new vscode.EventEmitter<void>();
  /** The server has been started, and knows the open documents. */
  readonly onReady = this.ready.event;
  private readonly documents = new OpenDocuments();
  private readonly log = vscode.window.createOutputChannel("promptpack", {log: true});

  get isStarted(): boolean {
    return this.connection !== undefined;
  }

  /** Start the server if it does not run, and return whether it does; tell the user why if it cannot. */
  async start(): Promise<boolean> {
    return (await this.connect()) !== undefined;
  }

  /** Send a request about a document; undefined if there is no server, which the user has been told. */
  async request<Result>(
    method: string, document: vscode.TextDocument, params: object = {}, token?: CancellationToken,
  ): Promise<Result | undefined> {
    const client = (await this.connect())?.client;
    if (!client) return undefined;
    const uri = document.uri.toString();
    await this.documents.wait(uri);
    const asked = {uri, ...params};
    try {
      // With a token that is undefined, the parameters would be sent as a list.
      return await (token ? client.sendRequest<Result>(method, asked, token) : client.sendRequest<Result>(method, asked));
    } catch (error) {
      if (!(error instanceof ResponseError) || error.code !== ErrorCodes.MethodNotFound) throw error;
      throw new Error(vscode.l10n.t("The promptpack of this workspace is too old for this: update it."), {cause: error});
    }
  }

  /** Return the command that the server was started with. */
  async findCommand(): Promise<Command | undefined> {
    await this.connect();
    return this.command;
  }

  /** Stop the server and start it again; one after the other, if several reasons come at once. */
  async restart(): Promise<void> {
    this.lastRestart = this.lastRestart.then(() => this.stop()).then(() => this.connect());
    await this.lastRestart;
  }

  /** Stop the server for good: the window is closed. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.stop();
  }

  dispose(): void {
    this.ready.dispose();
    this.log.dispose();
  }

  private async connect(): Promise<Connection | undefined> {
    if (!this.isEnded) this.connection ??= this.open();
    return this.connection;
  }

  private async stop(): Promise<void> {
    const connection = await this.connection;
    this.connection = this.command = undefined;
    this.documents.clear();
    // A server that is busy is not waited for.
    await connection?.client.dispose().catch((error) => this.log.warn(String(error)));
    await connection?.process.end();
  }

  private async open(): Promise<Connection | undefined> {
    try {
      this.command = await findWorkspaceCommand();
    } catch (error) {
      if (!(error instanceof MissingCommandError)) throw error;
      for (const file of error.tried) this.log.info(`there is no ${file}`);
      void showMissing(error, () => this.restart());
      return undefined;
    }
    this.log.info(`${this.command.file} lsp`);
    return this.launch(this.command);
  }

  private async launch(command: Command): Promise<Connection | undefined> {
    const process = new ServerProcess(command);
    const client: PackClient = new PackClient(
      "promptpack",
      "promptpack",
      () => process.start(),
      {
        documentSelector: [{language: "yaml", scheme: "file"}],
        outputChannel: this.log,
        middleware: {
          didOpen: async (document, next) => {
            await next(document);
            this.documents.add(document.uri.toString());
          },
          didClose: async (document, next) => {
            this.documents.delete(document.uri.toString());
            await next(document);
          },
        },
        initializationFailedHandler: () => false,
        errorHandler: {
          error: (error, message, count) => afterCrash.error(error, message, count),
          // A server that cannot start would not start the second time either.
          closed: () => (client.isStarted ? afterCrash.closed() : {action: CloseAction.DoNotRestart, handled: true}),
        },
      },
    );
    const afterCrash = client.createDefaultErrorHandler(MAX_RESTARTS);
    try {
      await client.start();
      client.isStarted = true;
      this.ready.fire();
      return {client, process};
    } catch (error) {
      await process.end();
      this.log.error(process.errors || String(error));
      if (IS_INCOMPLETE.test(process.errors)) void showIncomplete(command, () => this.restart());
      else void showStopped(process.errors || String(error), () => this.restart(), this.log);
      return undefined;
    }
  }
}

/** A client that reports its errors to the user once it has started; before, `messages.ts` says what is wrong. */
class PackClient extends LanguageClient {
  isStarted = false;

  override error(message: string, data?: unknown, showNotification: boolean | "force" = true): void {
    super.error(message, data, this.isStarted && showNotification);
  }
}

/** The documents that the server has been told of: it answers requests only about them. */
class OpenDocuments {
  private readonly known = new Set<string>();
  private readonly waiting = new Map<string, (() => void)[]>();

  add(uri: string): void {
    this.known.add(uri);
    for (const resolve of this.waiting.get(uri) ?? []) resolve();
    this.waiting.delete(uri);
  }

  delete(uri: string): void {
    this.known.delete(uri);
  }

  clear(): void {
    this.known.clear();
  }

  async wait(uri: string): Promise<void> {
    if (this.known.has(uri)) return;
    await new Promise<void>((resolve) => this.waiting.set(uri, [...(this.waiting.get(uri) ?? []), resolve]));
  }
}

/** A process of the server, and the end of what it writes to its standard error. */
class ServerProcess {
  errors = "";
  private running: ChildProcess | undefined;
  private closed: Promise<unknown> | undefined;
  private readonly command: Command;

  constructor(command: Command) {
    this.command = command;
  }

  async start(): Promise<ChildProcess> {
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const env = {...process.env, PYTHONUTF8: "1"};
    const started = spawn(this.command.file, ["lsp"], {cwd, env, windowsHide: true});
    started.stderr.setEncoding("utf8").on("data", (piece: string) => {
      this.errors = (this.errors + piece).slice(-MAX_ERRORS);
    });
    await once(started, "spawn");
    this.running = started;
    this.closed = once(started, "close");
    return started;
  }

  /** End the process, and wait for its last words. */
  async end(): Promise<void> {
    this.running?.kill();
    await this.closed;
  }
}
