/** What the extension and the page of the preview tell each other. */

import type {Preview, Problem} from "./requests.ts";

/** The texts of the page, in the language of the editor. */
export interface PageTexts {
  readonly context: string;
  readonly firstContext: string;
  readonly copy: string;
  readonly stale: string;
  readonly broken: string;
  readonly warnings: string;
  readonly history: string;
  readonly characters: string;
}

/** To the page. */
export interface PageState {
  /** The file. */
  readonly file: string;
  /** The last prompt that could be rendered. */
  readonly preview: Preview | undefined;
  /** Why the text has no prompt now; the last one is stale then. */
  readonly problems: readonly Problem[];
  readonly tests: readonly string[];
  /** The test whose context is used; empty for the first one. */
  readonly test: string;
  readonly texts: PageTexts;
}

/** From the page. */
export type PageEvent =
  | {readonly type: "ready"}
  | {readonly type: "choose"; readonly test: string}
  | {readonly type: "copy"}
  | {readonly type: "reveal"; readonly problem: number};
