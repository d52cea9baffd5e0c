/** The grammars in the grammar of YAML that VS Code itself ships. */

import assert from "node:assert/strict";
import fs from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {before, test} from "node:test";

import type {IGrammar} from "vscode-textmate";

const require = createRequire(import.meta.url);
const {INITIAL, Registry} = require("vscode-textmate") as typeof import("vscode-textmate");
const {loadWASM, OnigScanner, OnigString} = require("vscode-oniguruma") as typeof import("vscode-oniguruma");

const FOLDER = path.resolve(import.meta.dirname, "..");
const YAML = path.join(FOLDER, "node_modules/@codingame/monaco-vscode-yaml-default-extension/resources");
const PACKAGE = JSON.parse(fs.readFileSync(path.join(FOLDER, "package.json"), "utf8"));
const CONTRIBUTED: {path: string; scopeName: string; injectTo?: string[]}[] = PACKAGE.contributes.grammars;

let yaml: IGrammar;

before(async () => {
  await loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const files = [
    ...fs.readdirSync(YAML).filter((file) => file.endsWith("tmLanguage.json")).map((file) => path.join(YAML, file)),
    ...CONTRIBUTED.map((grammar) => path.join(FOLDER, grammar.path)),
  ];
  const grammars = new Map(files.map((file) => JSON.parse(fs.readFileSync(file, "utf8"))).map((one) => [one.scopeName, one]));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new OnigScanner(patterns),
      createOnigString: (text) => new OnigString(text),
    }),
    loadGrammar: async (scope) => grammars.get(scope) ?? null,
    getInjections: (scope) => CONTRIBUTED.filter(({injectTo}) => injectTo?.includes(scope)).map(({scopeName}) => scopeName),
  });
  yaml = (await registry.loadGrammar("source.yaml"))!;
});

/** Return each token of a text with its innermost scope of Jinja, without "jinja"; other tokens have none. */
function tokens(text: string): [string, string][] {
  let state = INITIAL;
  return text.split("\n").flatMap((line) => {
    const found = yaml.tokenizeLine(line, state);
    state = found.ruleStack;
    return found.tokens
      .map(({startIndex, endIndex, scopes}): [string, string] => {
        const inner = scopes.at(-1) ?? "";
        const isJinja = inner.endsWith(".jinja") && !inner.startsWith("meta.");
        return [line.slice(startIndex, endIndex).trim(), isJinja ? inner.slice(0, -".jinja".length) : ""];
      })
      .filter(([token]) => token);
  });
}

/** Return the words that are highlighted as Jinja. */
function jinja(text: string): string {
  return tokens(text).filter(([, scope]) => scope).map(([token]) => token).join(" ");
}

test("a template in a block has its tags, names, filters and strings", () => {
  assert.deepEqual(
    tokens('content: |\n  Hi {{ NAME.first | fenced("x") }}, and {% if AGE is not none and AGE >= 3 -%}\n  {# why #}{% endif %} is text\nnext: 1')
      .slice(3, -3),
    [
      ["Hi", ""], ["{{", "punctuation.section.embedded.begin"], ["NAME", "variable.other"], [".", "punctuation.accessor"],
      ["first", "variable.other.property"], ["|", "keyword.operator.filter"], ["fenced", "entity.name.function.filter"],
      ["(", "punctuation.section.brackets"], ['"', "punctuation.definition.string.begin"], ["x", "string.quoted.double"],
      ['"', "punctuation.definition.string.end"], [")", "punctuation.section.brackets"],
      ["}}", "punctuation.section.embedded.end"], [", and", ""], ["{%", "punctuation.section.embedded.begin"],
      ["if", "keyword.control"], ["AGE", "variable.other"], ["is", "keyword.operator.logical"],
      ["not", "keyword.operator.logical"], ["none", "entity.name.function.test"], ["and", "keyword.operator.logical"],
      ["AGE", "variable.other"], [">=", "keyword.operator.comparison"], ["3", "constant.numeric"],
      ["-%}", "punctuation.section.embedded.end"], ["{#", "punctuation.definition.comment.begin"], ["why", "comment.block"],
      ["#}", "punctuation.definition.comment.end"], ["{%", "punctuation.section.embedded.begin"],
      ["endif", "keyword.control"], ["%}", "punctuation.section.embedded.end"], ["is text", ""],
    ],
  );
});

test("templates in the other kinds of text are highlighted", () => {
  assert.equal(jinja('a: "Hi {{ x[\\"k\\"] }} {% include \'p\' %}"'), `{{ x [ \\" k \\" ] }} {% include ' p ' %}`);
  assert.equal(jinja("a: 'Hi {{ x }} there'"), "{{ x }}");
  assert.equal(jinja("a: Hi {{ x }} there"), "{{ x }}");
  assert.equal(jinja("- {text: '{{ x }}', b: 1}"), "{{ x }}");
  assert.equal(jinja("a: >-\n  Hi {{#each xs}}{{this}}{{/each}}"), "{{ #each xs }} {{ this }} {{ /each }}");
});

test("a tag that is not closed ends with its text", () => {
  assert.equal(jinja("a: |\n  Hi {{ x\n  y\nb: not x"), "{{ x y");
  assert.equal(jinja('a: {excludes: ["{{", "}}"], b: [\'{%\', \'%}\']}\nc: x'), "");
  assert.equal(jinja("a: Hi {{ x\nb: y"), "");
  assert.equal(jinja("messages:\n  - content: |\n      {% if x\n  - role: user"), "{% if x");
});

test("literal text, comments and keys are no templates", () => {
  assert.equal(jinja("# {{ x }}\na: 1"), "");
  assert.equal(jinja("a: |\n  {% raw %}{{ x }}{% endraw %}"), "{% raw %} {% endraw %}");
  assert.equal(jinja("a: |\n  {# {{ x }} #}"), "{# {{ x }} #}");
  assert.equal(jinja('"{{ x }}": 1'), "");
});

test("when and require are expressions, in every kind of text", () => {
  const words = "reply . x ==";
  assert.equal(jinja('rules:\n  - when: reply.x == "a"  # not this\n    name: n'), `${words} " a "`);
  assert.equal(jinja("rules:\n  - require: 'reply.x == \"a\"'\n    name: n"), `${words} " a "`);
  assert.equal(jinja("rules:\n  - require: \"reply.x == 'a'\"\n    name: n"), `${words} ' a '`);
  assert.equal(jinja("rules:\n  - {when: reply.x == 1, name: n}"), `${words} 1`);
  for (const indent of ["  ", "    ", "      ", "        "]) {
    const rule = `${indent}- name: n\n${indent}  require: >-\n${indent}    reply.x\n\n${indent}    == 1\n${indent}  message: reply.x\n`;
    assert.equal(jinja(`rules:\n${rule}`), `${words} 1`);
    assert.equal(jinja(`rules:\n${indent}- when: |\n${indent}    reply.x == 1\n${indent}  name: n`), `${words} 1`);
  }
  assert.equal(jinja("whenever: x\nwhen_not: y\nname: when: x"), "");
});

test("the highlighting of YAML around it stays", () => {
  const around = (text: string): string[] => tokens(text).filter(([, scope]) => !scope).map(([token]) => token);
  assert.deepEqual(around("a: {when: x, b: [1, 'y']}\nc: d"), ["a", ":", "{", "when", ":", ",", "b", ":", "[", "1", ",", "'", "y", "'", "]", "}", "c", ":", "d"]);
  assert.deepEqual(around("- when: x\n  b: 1\n- c: 2"), ["-", "when", ":", "b", ":", "1", "-", "c", ":", "2"]);
});
