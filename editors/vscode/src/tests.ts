/** The tests in packs, in the test explorer. */

import * as vscode from "vscode";

import {isPack} from "./packs.ts";
import {type PackTests, RUN_TESTS, type TestFailure, type TestResults, TESTS} from "./requests.ts";
import type {Server} from "./server.ts";
import {toRange} from "./places.ts";

const PACK_FILES = "**/packs/**/*.{yaml,yml}";
const NO_PACKS = "**/{node_modules,.venv,venv,snapshots}/**";
const MAX_FILES = 1_000;

export class PackTestController implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("promptpack", vscode.l10n.t("Prompt packs"));
  private readonly server: Server;

  constructor(server: Server) {
    this.server = server;
    this.controller.resolveHandler = async (item) => {
      if (item) await this.findTests(item);
      else await this.findPacks();
    };
    this.controller.refreshHandler = () => this.findPacks();
    this.controller.createRunProfile(
      vscode.l10n.t("Run"), vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true,
    );
  }

  dispose(): void {
    this.controller.dispose();
  }

  /** List the tests of a pack that is open. */
  async show(document: vscode.TextDocument): Promise<void> {
    await this.findTests(this.itemOf(document.uri));
  }

  /** Run the tests of a pack, and show the results. */
  async runAll(document: vscode.TextDocument): Promise<void> {
    const item = this.itemOf(document.uri);
    const source = new vscode.CancellationTokenSource();
    await this.run(new vscode.TestRunRequest([item]), source.token);
    source.dispose();
  }

  private async findPacks(): Promise<void> {
    const files = await vscode.workspace.findFiles(PACK_FILES, NO_PACKS, MAX_FILES);
    const found = new Set(files.map(String));
    for (const [id, item] of this.controller.items) {
      if (!found.has(id) && !isOpen(item)) this.controller.items.delete(id);
    }
    for (const file of files) {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      if (/^promptpack:/m.test(text)) this.itemOf(file);
    }
  }

  private itemOf(uri: vscode.Uri): vscode.TestItem {
    const known = this.controller.items.get(uri.toString());
    if (known) return known;
    const item = this.controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
    item.canResolveChildren = true;
    this.controller.items.add(item);
    return item;
  }

  /** List the tests of a pack; the server answers for open documents only, so the file is opened, without an editor. */
  private async findTests(pack: vscode.TestItem): Promise<vscode.TextDocument | undefined> {
    if (!pack.uri) return undefined;
    pack.busy = true;
    try {
      const document = await vscode.workspace.openTextDocument(pack.uri);
      const found = isPack(document) ? await this.server.request<PackTests>(TESTS, document) : undefined;
      pack.error = undefined;
      if (!found) return undefined;
      this.replaceTests(pack, found);
      return document;
    } catch (error) {
      pack.error = messageOf(error);
      return undefined;
    } finally {
      pack.busy = false;
    }
  }

  private replaceTests(pack: vscode.TestItem, found: PackTests): void {
    pack.label = `${found.pack} ${found.locale}`.trim();
    pack.description = vscode.workspace.asRelativePath(pack.uri ?? "");
    pack.children.replace(
      found.tests.map((test, number) => {
        const id = `${pack.id}#${test.name}`;
        const known = pack.children.get(id);
        const isSame = known?.uri?.toString() === test.uri;
        const item = known && isSame ? known : this.controller.createTestItem(id, test.name, vscode.Uri.parse(test.uri));
        item.range = toRange(test.range);
        item.sortText = String(number).padStart(5, "0");
        return item;
      }),
    );
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const excluded = new Set(request.exclude ?? []);
    try {
      for (const [pack, chosen] of this.group(request.include)) {
        if (token.isCancellationRequested) break;
        await this.runPack(run, pack, chosen, excluded, token);
      }
    } finally {
      run.end();
    }
  }

  /** Return the wanted tests by pack; undefined for all of them. */
  private group(include: readonly vscode.TestItem[] | undefined): Map<vscode.TestItem, Set<string> | undefined> {
    const packs = new Map<vscode.TestItem, Set<string> | undefined>();
    for (const item of include ?? [...this.controller.items].map(([, pack]) => pack)) {
      if (!item.parent) packs.set(item, undefined);
      else if (!packs.has(item.parent)) packs.set(item.parent, new Set([item.label]));
      else packs.get(item.parent)?.add(item.label);
    }
    return packs;
  }

  private async runPack(
    run: vscode.TestRun, pack: vscode.TestItem, chosen: Set<string> | undefined, excluded: Set<vscode.TestItem>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (excluded.has(pack)) return;
    const document = await this.findTests(pack);
    if (!document) {
      run.errored(pack, new vscode.TestMessage(textOf(pack.error) || vscode.l10n.t("The tests cannot be read.")));
      return;
    }
    const tests = [...pack.children].map(([, test]) => test).filter(
      (test) => !excluded.has(test) && (!chosen || chosen.has(test.label)),
    );
    if (!tests.length) return;
    for (const test of tests) run.started(test);
    try {
      const names = tests.map((test) => test.label);
      const found = await this.server.request<TestResults>(RUN_TESTS, document, {tests: names}, token);
      for (const test of tests) show(run, test, found);
    } catch (error) {
      if (token.isCancellationRequested) for (const test of tests) run.skipped(test);
      else run.errored(pack, new vscode.TestMessage(messageOf(error)));
    }
  }
}

function show(run: vscode.TestRun, test: vscode.TestItem, found: TestResults | undefined): void {
  const result = found?.results.find((one) => one.name === test.label);
  if (!result) return run.skipped(test);
  if (!result.failures.length) return run.passed(test);
  run.failed(test, result.failures.map(toMessage));
}

function toMessage(failure: TestFailure): vscode.TestMessage {
  const hasTexts = failure.expected || failure.found;
  const message = hasTexts
    ? vscode.TestMessage.diff(failure.message, failure.expected, failure.found)
    : new vscode.TestMessage(failure.message);
  message.location = new vscode.Location(vscode.Uri.parse(failure.uri), toRange(failure.range));
  return message;
}

function isOpen(item: vscode.TestItem): boolean {
  return vscode.workspace.textDocuments.some((document) => document.uri.toString() === item.id);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function textOf(error: string | vscode.MarkdownString | undefined): string {
  return typeof error === "string" ? error : (error?.value ?? "");
}
