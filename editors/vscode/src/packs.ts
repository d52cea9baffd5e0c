/** Which documents are packs. */

import * as vscode from "vscode";

const IS_PACK = /^promptpack:/m;

export function isPack(document: vscode.TextDocument): boolean {
  return document.languageId === "yaml" && document.uri.scheme === "file" && IS_PACK.test(document.getText());
}

/** Return the pack of the active editor; undefined if it shows something else. */
export function activePack(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && isPack(document) ? document : undefined;
}
