/** Lines and columns of the server count characters from 1; offsets of the editor count UTF-16 units from 0. */
import type {Text} from "@codemirror/state";

export interface Place {
  line: number;
  column: number;
}

export function toOffset(doc: Text, line: number, column: number): number {
  if (line > doc.lines) return doc.length;
  const found = doc.line(Math.max(line, 1));
  let offset = 0;
  for (let left = column - 1; left > 0 && offset < found.length; left--) {
    offset += (found.text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return found.from + Math.min(offset, found.length);
}

export function toPlace(doc: Text, offset: number): Place {
  const line = doc.lineAt(offset);
  return {line: line.number, column: [...line.text.slice(0, offset - line.from)].length + 1};
}

/** The range of a problem or an edit; an empty one gets the character at its place. */
export function toRange(doc: Text, place: Place & {end_line: number; end_column: number}): {from: number; to: number} {
  const from = toOffset(doc, place.line, place.column);
  const to = Math.max(toOffset(doc, place.end_line || place.line, place.end_column || place.column), from);
  return {from, to};
}
