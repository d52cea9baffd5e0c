/** A plain text in place of HTML: prompts contain words such as <data>, which are no tags. */
import {Language, LanguageSupport, defineLanguageFacet} from "@codemirror/language";
import {NodeType, Parser, Tree} from "@lezer/common";

const top = NodeType.define({id: 1, name: "Prose", top: true});

class ProseParser extends Parser {
  createParse(_: unknown, __: unknown, ranges: readonly {from: number; to: number}[]) {
    const last = ranges[ranges.length - 1];
    const length = last ? last.to - ranges[0].from : 0;
    return {
      parsedPos: length,
      stoppedAt: null,
      stopAt() {},
      advance: () => new Tree(top, [], [], length),
    };
  }
}

export const prose = new LanguageSupport(new Language(defineLanguageFacet(), new ProseParser() as Parser, [], "prose"));
export const html = () => prose;
