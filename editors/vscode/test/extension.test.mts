/** The built extension against the real `promptpack lsp`, in a stubbed extension host. */

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {after, before, test} from "node:test";

import {type Document, emit, host, loadExtension, makeContext} from "./host.mts";

const FOLDER = path.resolve(import.meta.dirname, "..");
/** The command to test with; `make test` installs it. */
const COMMAND = process.env["PROMPTPACK_COMMAND"] ?? "";
const GREETER = `\
promptpack: 1
name: greeter
version: 1.0.0
locale: en
inputs:
  NAME: {type: string, trust: untrusted, description: Who is greeted.}
messages:
  - role: user
    content: "Hi {{ NAME | fenced }}\\u200b {{ reply_format }}"
reply: {actions: {GO: {}}}
tests:
  - {name: greets, context: {NAME: Ann}, expect: {contains: [Ann]}}
  - {name: fails, context: {NAME: "<img src=x onerror=alert(1)>"}, expect: {contains: [Bob]}}
`;

const extension = loadExtension(path.join(FOLDER, "dist", "extension.js"));
const context = makeContext(FOLDER);
let pack: string;
let document: Document;

before(async () => {
  assert.ok(fs.existsSync(COMMAND), "PROMPTPACK_COMMAND names the command to test with");
  host.folder = fs.mkdtempSync(path.join(os.tmpdir(), "promptpack-vscode-"));
  pack = path.join(host.folder, "packs", "greeter", "1.0.0.yaml");
  fs.mkdirSync(path.dirname(pack), {recursive: true});
  fs.writeFileSync(pack, GREETER);
  fs.writeFileSync(path.join(host.folder, "compose.yaml"), "services: {}\n");
  await extension.activate(context);
});

after(async () => {
  await extension.deactivate();
  for (const one of context.subscriptions) one.dispose();
  fs.rmSync(host.folder, {recursive: true});
});

function codes(): string[] {
  return (host.diagnostics.get(document.uri.toString()) ?? []).map(({code}) => code);
}

async function run(command: string): Promise<void> {
  await host.commands.get(command)?.();
}

test("a YAML file that is not a pack starts nothing", async () => {
  host.settings["promptpack.command"] = "/nowhere/promptpack";
  host.open(path.join(host.folder, "compose.yaml"));
  assert.equal(host.messages.length, 0);
  await run("promptpack.preview");
  assert.equal(host.messages.splice(0)[0]?.text, "Open a pack: a YAML file with the key 'promptpack'.");
  assert.deepEqual(host.executed.filter(({command}) => command === "setContext").at(-1)?.args, ["promptpack.isPack", false]);
});

test("a missing command is reported with what can be done", async () => {
  document = host.open(pack);
  assert.deepEqual(host.executed.filter(({command}) => command === "setContext").at(-1)?.args, ["promptpack.isPack", true]);
  const {text, actions} = await host.until(() => host.messages.pop());
  assert.equal(text, "The setting promptpack.command names '/nowhere/promptpack', which does not exist.");
  assert.deepEqual(actions, ["Open Setting", "How to Install", "Try Again"]);
});

test("a command without the extra is reported with the command that installs it", async () => {
  const python = path.join(host.folder, "python");
  const command = path.join(host.folder, "promptpack");
  fs.writeFileSync(python, "");
  fs.writeFileSync(command, "#!/bin/sh\necho \"PP920 the language server needs the extra 'lsp'\" >&2\nexit 2\n", {mode: 0o755});
  host.settings["promptpack.command"] = command;
  host.answer = (_text, actions) => actions.find((action) => action === "Install pygls");
  await run("promptpack.restart");
  const {text, actions} = await host.until(() => host.messages.pop());
  host.answer = () => undefined;
  assert.equal(text, "The language server needs the extra 'lsp' of promptpack: the package pygls is missing.");
  assert.deepEqual(actions, ["Install pygls", "Copy Command", "Try Again"]);
  const execution = await host.until(() => host.tasks.pop());
  const {task} = execution;
  assert.deepEqual([task.execution.process, task.execution.args], [python, ["-m", "pip", "install", "pygls>=2"]]);
  // When that is done, the server is started again.
  emit("onDidEndTaskProcess", {execution, exitCode: 0});
  assert.match((await host.until(() => host.messages.pop())).text, /the package pygls is missing/);
  assert.equal(host.messages.length, 0);
});

test("a command that fails is reported with its last words", async () => {
  fs.writeFileSync(path.join(host.folder, "promptpack"), "#!/bin/sh\necho no such library >&2\necho '  hint: none' >&2\nexit 3\n", {mode: 0o755});
  await run("promptpack.restart");
  const {text, actions} = await host.until(() => host.messages.pop());
  assert.equal(text, "The language server of promptpack could not be started: no such library");
  assert.deepEqual(actions, ["Show Log", "Try Again"]);
  assert.equal(host.messages.length, 0);
});

test("a server without the requests of the extension is told to be too old", async () => {
  const answer = `
    process.stdin.once("data", () => send({jsonrpc: "2.0", id: 0, result: {capabilities: {textDocumentSync: 1}}}));
    process.stdin.on("data", (data) => {
      for (const [, id] of String(data).matchAll(/"id":([1-9]\\d*)/g)) send({jsonrpc: "2.0", id: Number(id), error: {code: -32601, message: "?"}});
      if (String(data).includes('"exit"')) process.exit();
    });
    function send(message) {
      const text = JSON.stringify(message);
      process.stdout.write("Content-Length: " + text.length + "\\r\\n\\r\\n" + text);
    }`;
  fs.writeFileSync(path.join(host.folder, "promptpack"), `#!${process.execPath}\n${answer}`, {mode: 0o755});
  await run("promptpack.restart");
  await run("promptpack.try");
  const {text} = await host.until(() => host.messages.pop());
  assert.equal(text, "The promptpack of this workspace is too old for this: update it.");
});

test("problems are shown while a pack is typed", async () => {
  host.settings["promptpack.command"] = COMMAND;
  await run("promptpack.restart");
  await host.until(() => codes().length);
  document.type(GREETER.replace("{{ NAME", "{{ NMAE"));
  await host.until(() => codes().includes("PP301"));
  const [problem] = host.diagnostics.get(document.uri.toString())!.filter(({code}) => code === "PP301");
  assert.equal(problem.message, "template uses undeclared input 'NMAE'\nhint: did you mean 'NAME'?");
  document.type(GREETER);
  await host.until(() => codes().length && !codes().includes("PP301"));
});

test("the snippet of a pack is a pack without problems", async () => {
  const {body} = JSON.parse(fs.readFileSync(path.join(FOLDER, "snippets", "packs.json"), "utf8")).Pack;
  const filled = body.join("\n").replace(/\$\{\d+:([^}]*)\}/g, "$1").replace("$0", "");
  const other = path.join(host.folder, "packs", "my-pack", "1.0.0-dev.yaml");
  fs.mkdirSync(path.dirname(other), {recursive: true});
  fs.writeFileSync(other, filled);
  const uri = host.open(other).uri.toString();
  const found = await host.until(() => host.diagnostics.get(uri));
  host.open(pack);
  assert.deepEqual(found.map(({code, message}) => [code, message]), []);
});

test("the editor gets completions from the server", async () => {
  document.type(GREETER.replace("{{ NAME", "{{ NA"));
  const [provider] = host.providers.get("registerCompletionItemProvider")!;
  const line = GREETER.split("\n").findIndex((text) => text.includes("Hi {{"));
  const column = GREETER.split("\n")[line]!.indexOf("{{") + 5;
  const source = {isCancellationRequested: false, onCancellationRequested: () => ({dispose() {}})};
  const found = await provider.provideCompletionItems(document, {line, character: column}, source, {triggerKind: 0});
  assert.deepEqual(found.items.map((item: {label: string}) => item.label)[0], "NAME");
  document.type(GREETER);
});

test("the preview shows the prompt of the text, and the last good one while the text is broken", async () => {
  await run("promptpack.preview");
  const [panel] = host.panels;
  const first = await host.until(() => panel.states.find((state: any) => state.tests.length));
  assert.equal(panel.title, "Prompt: greeter@1.0.0");
  assert.deepEqual([first.preview.ok, first.tests, first.problems], [true, ["greets", "fails"], []]);
  assert.match(textOf(first), /^Hi ```\nAnn\n```‹U\+200B› /);

  document.type(GREETER.replace("Hi {{ NAME", "Hello {{ NMAE"));
  const broken = await host.until(() => panel.states.find((state: any) => state.problems.length));
  assert.deepEqual(broken.preview, first.preview);
  assert.deepEqual(broken.problems.map(({code, line}: any) => [code, line]), [["PP301", 9]]);
  panel.receive({type: "reveal", problem: 0});
  await host.until(() => host.active?.fileName === pack);

  document.type(GREETER.replace("Hi", "Hello"));
  await host.until(() => panel.states.at(-1).problems.length === 0 && /^Hello/.test(textOf(panel.states.at(-1))));
});

test("the preview takes the context of a test, and copies the messages", async () => {
  const [panel] = host.panels;
  panel.receive({type: "choose", test: "fails"});
  await host.until(() => textOf(panel.states.at(-1)).includes("<img src=x onerror=alert(1)>"));
  panel.receive({type: "copy"});
  const [message] = JSON.parse(await host.until(() => host.clipboard)) as {role: string; content: string}[];
  assert.ok(message);
  assert.equal(message.role, "user");
  assert.ok(message.content.startsWith("Hello ```\n<img src=x onerror=alert(1)>\n```\u200b"));
});

test("the page of the preview has a strict policy and no text from a pack", async () => {
  const {webview, options} = host.panels[0];
  const [, nonce] = webview.html.match(/'nonce-([\w-]{20,})'/);
  const policy = webview.html.match(/Content-Security-Policy" content="([^"]*)"/)[1];
  assert.equal(
    policy,
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src https://page.test; require-trusted-types-for 'script'; trusted-types 'none'`,
  );
  assert.equal(webview.html.match(/<script/g).length, 1);
  assert.match(webview.html, new RegExp(`<script nonce="${nonce}" src="https://page.test/preview.js"></script>`));
  assert.doesNotMatch(webview.html, /greeter|Hello|style=|onload|javascript:/);
  assert.deepEqual(options.localResourceRoots.map(String), [new URL("dist", `file://${FOLDER}/`).href]);
  assert.equal(options.enableCommandUris, false);
});

test("the test explorer lists and runs the tests of a pack", async () => {
  const [controller] = host.controllers;
  await controller.resolveHandler();
  assert.deepEqual([...controller.items].map(([, item]) => item.label), ["greeter@1.0.0 en", "my-pack@1.0.0-dev"]);
  await run("promptpack.runTests");
  const result = await host.until(() => host.runs.find(({isEnded}) => isEnded));
  assert.deepEqual(result.events.map(([kind, name]: string[]) => [kind, name]), [
    ["started", "greets"], ["started", "fails"], ["passed", "greets"], ["failed", "fails"],
  ]);
  const [message] = result.events.at(-1)[2];
  assert.deepEqual([message.message, message.expectedOutput], ["the prompt does not contain 'Bob'", "Bob"]);
  assert.equal(message.location.range.start.line, 12);
  assert.equal(String(message.location.uri), document.uri.toString());
});

test("one test runs alone, and a broken pack is an error of its item", async () => {
  const [controller] = host.controllers;
  const item = controller.items.get(document.uri.toString());
  const [[, greets]] = item.children;
  const token = {isCancellationRequested: false, onCancellationRequested: () => ({dispose() {}})};
  await controller.profiles[0].run({include: [greets]}, token);
  assert.deepEqual(host.runs.at(-1).events.map(([kind, name]: string[]) => [kind, name]), [["started", "greets"], ["passed", "greets"]]);
  document.type(GREETER.replace("role: user", "role: usr"));
  await controller.profiles[0].run({}, token);
  const [[kind, label, error]] = host.runs.at(-1).events;
  assert.deepEqual([kind, label], ["errored", "greeter@1.0.0 en"]);
  assert.match(error.message, /1\.0\.0\.yaml:8:11: PP205 'usr' is not one of/);
  document.type(GREETER);
});

test("a pack is tried on a model without a shell, with the key in the environment only", async () => {
  host.settings["promptpack.try.provider"] = "openai";
  await run("promptpack.try");
  assert.equal(host.tasks.length, 0);
  host.picks = ["greets"];
  host.inputs = [" s3cret "];
  host.settings["promptpack.try.model"] = "a model; rm -rf";
  delete process.env["OPENAI_API_KEY"];
  await run("promptpack.try");
  assert.equal(document.isDirty, false);
  const {execution} = host.tasks.pop().task;
  assert.equal(execution.process, COMMAND);
  const root = path.join(host.folder, "packs");
  assert.deepEqual(execution.args, [
    "try", "greeter@1.0.0", `--packs=${root}`, "--locale=en", "--test=greets", "--provider=openai", "--model=a model; rm -rf",
  ]);
  assert.deepEqual(execution.options.env, {OPENAI_API_KEY: "s3cret"});
  assert.deepEqual([...host.secrets], [["OPENAI_API_KEY", "s3cret"]]);
  await run("promptpack.forgetKeys");
  assert.deepEqual([...host.secrets], []);
});

test("the arguments of a try are those that the command takes", async () => {
  host.settings["promptpack.try.provider"] = "scripted";
  document.type(GREETER.replace("expect: {contains: [Ann]}", 'reply: "{}", verdict: invalid'));
  host.picks = ["greets"];
  await run("promptpack.try");
  const {execution} = host.tasks.pop().task;
  const {spawnSync} = await import("node:child_process");
  const tried = spawnSync(execution.process, execution.args, {cwd: host.folder, encoding: "utf8"});
  assert.equal(tried.stderr, "");
  assert.match(tried.stdout, /greeter@1\.0\.0 en[^]*PP510 /);
});

test("a server that crashes is started again, with the text in the editor", async () => {
  const pid = path.join(host.folder, "pid");
  fs.writeFileSync(path.join(host.folder, "promptpack"), `#!/bin/sh\necho $$ >> ${pid}\nexec ${COMMAND} "$@"\n`, {mode: 0o755});
  host.settings["promptpack.command"] = path.join(host.folder, "promptpack");
  await run("promptpack.restart");
  document.type(GREETER.replace("{{ NAME", "{{ NMAE"));
  await host.until(() => codes().includes("PP301"));
  host.diagnostics.clear();
  process.kill(Number(fs.readFileSync(pid, "utf8")), "SIGKILL");
  await host.until(() => codes().includes("PP301"));
  assert.equal(fs.readFileSync(pid, "utf8").trim().split("\n").length, 2);
});

test("a workspace that is not trusted runs nothing", async () => {
  host.isTrusted = false;
  host.commands.clear();
  await extension.activate(makeContext(FOLDER));
  assert.deepEqual([...host.commands], []);
});

/** The text of the first message as the page shows it. */
function textOf(state: any): string {
  const spans = state.preview?.messages[0].spans ?? [];
  return spans.map(({text, hidden}: any) => (hidden ? `‹${hidden}›` : text)).join("");
}
