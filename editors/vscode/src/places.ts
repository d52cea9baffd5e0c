/** Positions of the protocol as those of the editor. */

import * as vscode from "vscode";
import type {Range} from "vscode-languageclient/node";

export function toRange({start, end}: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
