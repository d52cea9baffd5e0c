/** The messages of the server, as `promptpack/studio/handlers` writes them. */
export interface Problem {
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  hint: string;
  path: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}
export interface PackFile {
  path: string;
  version: string;
  is_draft: boolean;
  locale: string;
  is_default: boolean;
  is_broken: boolean;
  has_draft: boolean;
}
export interface PackRow {
  name: string;
  files: PackFile[];
  labels: {name: string; target: string}[];
}
export interface Status {
  errors: number;
  warnings: number;
  passed: number;
  failed: number;
}
export interface PackList {
  root: string;
  packs: PackRow[];
  files: string[];
  status: Record<string, Status>;
  model: string;
  keeps_drafts: boolean;
  version: string;
}
export interface Hit {
  path: string;
  name: string;
  version: string;
  locale: string;
  line: number;
  excerpt: string;
}
export interface Opened {
  path: string;
  text: string;
  digest: string;
  draft: {text: string; base: string} | null;
  is_elsewhere: boolean;
  is_left: boolean;
  is_pack: boolean;
  name: string;
  version: string;
  is_release: boolean;
}
export interface Span {
  text: string;
  hidden?: string;
  kind: string;
  trust: string;
  inputs: string[];
  partials: string[];
  entry: number | null;
  path: string;
  line: number;
  column: number;
  origin: string;
}
export interface Preview {
  pack: string;
  ok: boolean;
  context: Record<string, unknown>;
  messages: {role: string; name: string; is_history: boolean; characters: number; tokens: number; spans: Span[]}[];
  characters: number;
  tokens: number;
  token_unit: string;
  warnings: Problem[];
  problems: Problem[];
}
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}
export interface Input {
  name: string;
  schema: Schema;
  description: string;
  required: boolean;
  trusted: boolean;
  secret: boolean;
}
export type Context = Record<string, unknown>;
export interface ContextInfo {
  pack: string;
  inputs: Input[];
  tests: {name: string; context: Context}[];
  kept: Record<string, Context>;
  example: Context;
  models: string[];
}
export interface Mark {
  kind: "repair" | "violation";
  code: string;
  path: string;
  message?: string;
  risk?: string;
  before?: string;
  after?: string;
}
export interface Verdict {
  ok: boolean;
  outcome: string;
  marks: Mark[];
  pieces: {text: string; hidden?: string; marks: number[]}[];
  unchecked: string[];
  extras: string[];
  is_echo: boolean;
  correction: string;
  data: unknown;
}
export interface Piece {
  kind: "kept" | "removed" | "added";
  text: string;
}
export interface Change {
  code: string;
  message: string;
  hint: string;
  category: string;
  class: string;
  bump: string;
  where: string;
  path: string;
  line: number;
}
export interface Compared {
  old: {title: string; label: string; locale: string};
  new: {title: string; label: string; locale: string};
  text: Piece[];
  messages: {role: string; state: string; pieces: Piece[]}[] | null;
  changes: Change[] | null;
  bump?: string;
  problems: Problem[];
}
export interface Trial {
  name: string;
  passed: boolean;
  path: string;
  line: number;
  failures: {message: string; expected: string; found: string; path: string; line: number}[];
}
export interface Coverage {
  percent: number;
  covered: number;
  points: number;
  lines: [number, number, number][];
  missing: Problem[];
}
export interface Drawn {
  tag: string;
  attributes: Record<string, string>;
  text: string;
  children: Drawn[];
}
export interface Flow {
  drawing: Drawn;
  steps: {name: string; pack: string; path: string}[];
}
export interface Uses {
  extended_by: {path: string; label: string; locale: string}[];
  extends: string[];
  steps: string[];
  fed_by: {step: string; data: string}[];
  feeds: {step: string; data: string}[];
}
export interface Release {
  label: string;
  is_locked: boolean;
  targets: Record<string, string>;
  needed: string;
}
export interface Fix {
  code: string;
  title: string;
  edits: {line: number; column: number; end_line: number; end_column: number; insert: string}[];
}
