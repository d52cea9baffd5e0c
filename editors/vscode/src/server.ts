/** The language server: started with the first pack, stopped with the window. */

import {type ChildProcess, spawn} from "node:child_process";
import {once} from "node:events";

import * as vscode from "vscode";
import {type CancellationToken, CloseAction, ErrorAction, LanguageClient} from "vscode-languageclient/node";

import {type Command, MissingCommandError} from "./command.ts";
import {findWorkspaceCommand} from "./environment.ts";
import {showIncomplete, showMissing, showStopped} from "./messages.ts";

const MAX_ERRORS = 4_000;
const MAX_RESTARTS = 3;
const IS_INCOMPLETE = /\bPP920\b/;

export class Server implements vscode.Disposable {
  private client: Promise<LanguageClient | undefined> | undefined;
  private command: Command | undefined;
  private isEnded = false;
  private readonly ready = new vscode.EventEmitter<void>();
  /** The server has been started, and knows the open documents. */
  readonly onReady = this.ready.event;
  private readonly documents = new OpenDocuments();
  private readonly log = vscode.window.createOutputChannel("promptpack", {log: true});

  /** Start the server if it does not run; tell the user why if it cannot. */
  async start(): Promise<LanguageClient | undefined> {
    if (!this.isEnded) this.client ??= this.open();
    return this.client;
  }

  /** Send a request about a document; undefined if there is no server, which the user has been told. */
  async request<Result>(
    method: string, document: vscode.TextDocument, params: object = {}, token?: CancellationToken,
  ): Promise<Result | undefined> {
    const client = await this.start();
    if (!client) return undefined;
    const uri = document.uri.toString();
    await this.documents.wait(uri);
    const asked = {uri, ...params};
    // With a token that is undefined, the parameters would be sent as a list.
    return token ? client.sendRequest<Result>(method, asked, token) : client.sendRequest<Result>(method, asked);
  }

  /** Return the command that the server was started with. */
  async findCommand(): Promise<Command | undefined> {
    await this.start();
    return this.command;
  }

  get isStarted(): boolean {
    return this.client !== undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Stop the server for good: the window is closed. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.stop();
  }

  private async stop(): Promise<void> {
    const client = await this.client;
    this.client = this.command = undefined;
    this.documents.clear();
    await client?.dispose();
  }

  dispose(): void {
    this.ready.dispose();
    this.log.dispose();
  }

  private async open(): Promise<LanguageClient | undefined> {
    try {
      this.command = await findWorkspaceCommand();
    } catch (error) {
      if (!(error instanceof MissingCommandError)) throw error;
      for (const file of error.tried) this.log.info(`there is no ${file}`);
      void showMissing(error, () => this.restart());
      return undefined;
    }
    this.log.info(`${this.command.file} lsp`);
    return this.connect(this.command);
  }

  private async connect(command: Command): Promise<LanguageClient | undefined> {
    const server = new ServerProcess(command);
    let isRunning = false;
    const client: LanguageClient = new LanguageClient(
      "promptpack",
      "promptpack",
      () => server.start(),
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
          error: () => ({action: ErrorAction.Shutdown}),
          // A server that cannot start would not start the second time either.
          closed: () => (isRunning ? afterCrash.closed() : {action: CloseAction.DoNotRestart, handled: true}),
        },
      },
    );
    const afterCrash = client.createDefaultErrorHandler(MAX_RESTARTS);
    try {
      await client.start();
      isRunning = true;
      this.ready.fire();
      return client;
    } catch (error) {
      await server.end();
      this.log.error(server.errors || String(error));
      if (IS_INCOMPLETE.test(server.errors)) void showIncomplete(command, () => this.restart());
      else void showStopped(server.errors || String(error), () => this.restart(), this.log);
      return undefined;
    }
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
