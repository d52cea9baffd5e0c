/** The built page of the preview, in a document that has no way to set HTML. */

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {test} from "node:test";
import vm from "node:vm";

const SCRIPT = fs.readFileSync(path.resolve(import.meta.dirname, "..", "dist", "preview.js"), "utf8");
const EVIL = "<img src=x onerror=alert(1)>";

class Element {
  readonly tag: string;
  readonly dataset: Record<string, string> = {};
  readonly attributes: Record<string, string> = {};
  readonly children: (Element | string)[] = [];
  readonly listeners: Record<string, () => void> = {};
  className = "";
  id = "";
  title = "";
  value = "";
  disabled = false;
  readonly classList = {add: (name: string) => void (this.className += ` ${name}`)};
  constructor(tag: string) {
    this.tag = tag;
    Object.seal(this); // another property, such as innerHTML, is an error
  }
  set textContent(text: string) {
    this.children.splice(0, this.children.length, text);
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  append(...children: (Element | string)[]): void {
    this.children.push(...children);
  }
  replaceChildren(...children: Element[]): void {
    this.children.splice(0, this.children.length, ...children);
  }
  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }
  addEventListener(name: string, listener: () => void): void {
    this.listeners[name] = listener;
  }
  focus(): void {}
  /** Return the elements below that have a class or a tag. */
  all(name: string): Element[] {
    const below = this.children.filter((child) => child instanceof Element);
    return below.flatMap((child) => [
      ...(child.tag === name || child.className.split(" ").includes(name) ? [child] : []), ...child.all(name),
    ]);
  }
}
for (const name of ["selected", "tabIndex"]) Object.defineProperty(Element.prototype, name, {set() {}, get: () => false});

function openPage(): {page: Element; sent: unknown[]; post: (state: object) => void} {
  const page = new Element("main");
  const sent: unknown[] = [];
  let listener: (event: {data: object}) => void = () => {};
  vm.runInNewContext(SCRIPT, {
    document: {
      activeElement: undefined,
      createElement: (tag: string) => new Element(tag),
      getElementById: (id: string) => (id === "page" ? page : undefined),
    },
    window: {scrollY: 0, scrollTo() {}, addEventListener: (_name: string, added: typeof listener) => (listener = added)},
    acquireVsCodeApi: () => ({postMessage: (event: unknown) => sent.push(JSON.parse(JSON.stringify(event)))}),
  });
  return {page, sent, post: (state) => listener({data: state})};
}

function span(text: string, kind = "template", trust = "trusted", hidden?: string) {
  return {text, kind, trust, origin: `${kind} at ${EVIL}`, ...(hidden ? {hidden} : {})};
}

const PREVIEW = {
  pack: EVIL, ok: true, characters: 1234, tokens: 5, token_unit: "tokens (o200k_base)",
  warnings: [{code: "PP1", message: EVIL}], problems: [],
  messages: [
    {role: "user", name: EVIL, is_history: true, characters: 9, tokens: 3,
      spans: [span("Hi "), span(EVIL, "input", "untrusted"), span("\u200b", "input", "untrusted", "U+200B")]},
  ],
};
const STATE = {
  file: "packs/a.yaml", preview: PREVIEW, problems: [] as object[], tests: [EVIL], test: "",
  texts: {context: "Context", firstContext: "First", copy: "Copy", stale: "Stale", broken: "Broken", warnings: "Warnings", history: "history", characters: "characters"},
};

test("the messages are cards with the origin of each span, and hidden characters are shown", () => {
  const {page, sent, post} = openPage();
  assert.deepEqual(sent, [{type: "ready"}]);
  post(STATE);
  const [card] = page.all("article");
  assert.equal(card!.dataset["role"], "user");
  assert.equal(card!.all("h2")[0]!.textContent, `user · ${EVIL}history9 characters · 3 tokens`);
  assert.deepEqual(
    card!.all("span").filter(({className}) => className.startsWith("span")).map((one) => [one.textContent, one.className, one.title]),
    [
      ["Hi ", "span template trusted", `template at ${EVIL} (trusted)`],
      [EVIL, "span input untrusted", `input at ${EVIL} (untrusted)`],
      ["‹U+200B›", "span input untrusted hidden", `input at ${EVIL} (untrusted)`],
    ],
  );
  assert.equal(page.all("size")[0]!.textContent, "1,234 characters · 5 tokens (o200k_base)");
  assert.deepEqual(page.all("legend")[0]!.children.map((one) => (one as Element).textContent), ["input", "untrusted"]);
  assert.deepEqual(page.all("img"), []);
});

test("the last prompt stays while the text is broken, marked as old", () => {
  const {page, post} = openPage();
  const problems = [{code: "PP301", message: EVIL, hint: "did you mean 'x'?", path: "/a.yaml", line: 3, column: 4}];
  post({...STATE, problems});
  assert.equal(page.all("article")[0]!.className, "message stale");
  assert.equal(page.all("problems")[0]!.textContent, `Stale3:4 PP301 ${EVIL}did you mean 'x'?`);
  assert.equal(page.all("problems")[0]!.attributes["role"], "status");
  post({...STATE, problems, preview: undefined});
  assert.match(page.all("problems")[0]!.textContent, /^Broken/);
  assert.deepEqual(page.all("article"), []);
  assert.equal(page.all("h1")[0]!.textContent, "packs/a.yaml");
});

test("the controls tell the extension what the user chose", () => {
  const {page, sent, post} = openPage();
  post({...STATE, problems: [{code: "PP301", message: "m", hint: "", path: "/a.yaml", line: 3, column: 4}]});
  const [choice] = page.all("select");
  choice!.value = EVIL;
  choice!.listeners["change"]!();
  for (const button of page.all("button")) button.listeners["click"]!();
  assert.deepEqual(sent.slice(1), [{type: "choose", test: EVIL}, {type: "copy"}, {type: "reveal", problem: 0}]);
});
