/** YAML with Jinja inside: the key of a value, not its text, decides whether it is a template. */
import {jinja} from "@codemirror/lang-jinja";
import {yamlLanguage} from "@codemirror/lang-yaml";
import {HighlightStyle, LanguageSupport, syntaxHighlighting} from "@codemirror/language";
import {parseMixed, type Input, type SyntaxNode, type SyntaxNodeRef} from "@lezer/common";
import {tags} from "@lezer/highlight";
import {prose} from "./no_html";

const template = jinja({base: prose});
const values = new Set(["BlockLiteralContent", "QuotedLiteral", "Literal"]);
const isTemplate = [
  /^messages\/\*\/(content|name|tool_call_id)(\/|$)/,
  /^partials\//,
  /^slots\//,
  /^models\/[^/]*\/(prefix|suffix)$/,
  /^reply\/rules\/\*\/message$/,
];

/** Return the keys that lead to a value, with `*` for an item of a list. */
function keysOf(node: SyntaxNode, input: Input): string {
  const keys: string[] = [];
  for (let up = node.parent; up; up = up.parent) {
    if (up.name === "Item") keys.unshift("*");
    const key = up.name === "Pair" ? up.getChild("Key") : null;
    if (key) {
      if (key.from <= node.from && node.to <= key.to) return "";
      keys.unshift(input.read(key.from, key.to).replace(/^["']|["']$/g, ""));
    }
  }
  return keys.join("/");
}

function nest(node: SyntaxNodeRef, input: Input) {
  if (!values.has(node.name)) return null;
  const path = keysOf(node.node, input);
  return isTemplate.some((one) => one.test(path)) ? {parser: template.language.parser} : null;
}

const mixed = yamlLanguage.configure({wrap: parseMixed(nest)});
export const packLanguage = new LanguageSupport(mixed);
export const partialLanguage = template;

/** Colours come from variables, so that light and dark mode need one style. */
const style = HighlightStyle.define([
  {tag: tags.definition(tags.propertyName), color: "var(--code-key)"},
  {tag: [tags.propertyName, tags.attributeName], color: "var(--code-name)"},
  {tag: tags.variableName, color: "var(--code-name)"},
  {tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.modifier, tags.self, tags.bool, tags.null], color: "var(--code-keyword)"},
  {tag: [tags.function(tags.variableName), tags.standard(tags.name)], color: "var(--code-function)"},
  {tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)"},
  {tag: tags.number, color: "var(--code-number)"},
  {tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--code-comment)", fontStyle: "italic"},
  {tag: [tags.brace, tags.special(tags.brace), tags.bracket, tags.separator, tags.punctuation], color: "var(--code-mark)"},
  {tag: [tags.meta, tags.typeName, tags.labelName], color: "var(--code-keyword)"},
]);
export const colours = syntaxHighlighting(style);
