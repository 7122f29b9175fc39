// Files that the page gives to the user.

import { element } from "./element.js";

/** Saves JSON Lines as a file of this name. */
export function saveFile(name: string, lines: string): void {
  const address = URL.createObjectURL(new Blob([lines], { type: "application/jsonl" }));
  element("a", { href: address, download: `${name.replace(/\W+/g, "-")}.jsonl` }).click();
  URL.revokeObjectURL(address);
}
