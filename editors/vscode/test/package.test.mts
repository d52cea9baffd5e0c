/** The package: its metadata, texts, snippets and files agree. */

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import {test} from "node:test";

const FOLDER = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => fs.readFileSync(path.join(FOLDER, file), "utf8");
const json = (file: string): any => JSON.parse(read(file));
const PACKAGE = json("package.json");
const SOURCES = fs.readdirSync(path.join(FOLDER, "src")).map((file) => read(`src/${file}`)).join("\n");

test("the types of the sources are right", () => {
  execFileSync(process.execPath, [path.join(FOLDER, "node_modules/typescript/bin/tsc"), "-p", FOLDER], {stdio: "pipe"});
});

test("every contributed command is registered, and the other way round", () => {
  const contributed = PACKAGE.contributes.commands.map(({command}: {command: string}) => command);
  const registered = [...SOURCES.matchAll(/registerCommand\("([\w.]+)"/g)].map(([, name]) => name);
  assert.deepEqual(registered.sort(), contributed.sort());
});

test("every text of the metadata exists in both languages", () => {
  const used = new Set([...read("package.json").matchAll(/"%(\w+)%"/g)].map(([, name]) => name));
  for (const file of ["package.nls.json", "package.nls.zh-cn.json"]) assert.deepEqual(new Set(Object.keys(json(file))), used);
});

test("every message has a translation, and every translation a message", () => {
  const texts = [...SOURCES.matchAll(/l10n\.t\(\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text);
  assert.deepEqual(new Set(Object.keys(json("l10n/bundle.l10n.zh-cn.json"))), new Set(texts));
});

test("a key is not a setting, and a workspace cannot change where it is sent", () => {
  const settings = PACKAGE.contributes.configuration.properties;
  assert.deepEqual(Object.keys(settings).filter((name) => /key|token|secret/i.test(name)), []);
  assert.equal(settings["promptpack.try.baseUrl"].scope, "machine");
  assert.deepEqual(PACKAGE.capabilities.untrustedWorkspaces.restrictedConfigurations, ["promptpack.command"]);
});

test("the icon is a PNG of at least 128 pixels", () => {
  const icon = fs.readFileSync(path.join(FOLDER, PACKAGE.icon));
  assert.equal(icon.subarray(1, 4).toString(), "PNG");
  assert.ok(icon.readUInt32BE(16) >= 128 && icon.readUInt32BE(16) === icon.readUInt32BE(20));
});

test("the version is that of the types that the editor promises", () => {
  assert.ok(PACKAGE.devDependencies["@types/vscode"].startsWith(PACKAGE.engines.vscode.slice(1, -1)));
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(read("package-lock.json"), /https?:\/\/[^"]*registry/);
});

test("the official packager makes a package with these files and no others", () => {
  const vsce = path.join(FOLDER, "node_modules/@vscode/vsce/vsce");
  const listed = execFileSync(process.execPath, [vsce, "ls", "--no-dependencies"], {cwd: FOLDER, encoding: "utf8"});
  assert.deepEqual(listed.trim().split("\n").sort(), [
    "CHANGELOG.md", "LICENSE", "README.md", "dist/LICENSES.txt", "dist/extension.js", "dist/preview.css", "dist/preview.js", "icon.png",
    "l10n/bundle.l10n.zh-cn.json", "package.json", "package.nls.json", "package.nls.zh-cn.json", "snippets/packs.json",
    ...PACKAGE.contributes.grammars.map((grammar: {path: string}) => grammar.path.slice(2)),
  ].sort());
});
