/** The requests that `promptpack lsp` answers beside those of the Language Server Protocol. */

import type {Range} from "vscode-languageclient/node";

export const PREVIEW = "promptpack/preview";
export const TESTS = "promptpack/tests";
export const RUN_TESTS = "promptpack/runTests";

/** The rendered prompt, or the problems that prevent it. */
export interface Preview {
  readonly pack: string;
  readonly ok: boolean;
  readonly messages: readonly Message[];
  readonly characters: number;
  readonly tokens: number;
  readonly token_unit: string;
  readonly warnings: readonly Problem[];
  readonly problems: readonly Problem[];
}

export interface Message {
  readonly role: string;
  readonly name: string;
  readonly is_history: boolean;
  readonly characters: number;
  readonly tokens: number;
  readonly spans: readonly Span[];
}

/** A part of a message with one origin. */
export interface Span {
  readonly text: string;
  /** The code point of a character that would be invisible. */
  readonly hidden?: string;
  readonly kind: string;
  readonly trust: string;
  /** The origin in words. */
  readonly origin: string;
}

export interface Problem {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly hint: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface Place {
  readonly uri: string;
  readonly range: Range;
}

export interface PackTests {
  /** The name and version of the pack, such as `planner@1.0.0`. */
  readonly pack: string;
  readonly locale: string;
  /** The folder of packs that the file is in. */
  readonly root: string;
  readonly tests: readonly (Place & {readonly name: string})[];
}

export interface TestResults {
  readonly results: readonly {readonly name: string; readonly failures: readonly TestFailure[]}[];
}

export interface TestFailure extends Place {
  readonly message: string;
  readonly expected: string;
  readonly found: string;
}
