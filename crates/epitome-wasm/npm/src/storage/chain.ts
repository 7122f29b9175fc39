// The hash of each commit and of all before it, by which a log proves that it is whole.
//
// SHA-256 of the platform: the same in browsers, workers, Node and workerd, at no bytes of code. A page needs a secure context
// for it, as it does for locks between tabs and for storage that is not evicted.

import { utf8Of } from "./slices.js";

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The hash of a commit behind another one, as 64 hexadecimal digits. `previous` is empty for the first one. */
export async function hashOf(previous: string, text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await utf8Of(`${previous}\n`, text));
  let hexadecimal = "";
  for (const byte of new Uint8Array(digest)) {
    hexadecimal += DIGITS[byte];
  }
  return hexadecimal;
}
