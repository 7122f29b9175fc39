// Long texts a slice at a time, so that a page reacts meanwhile.

import { pause } from "../host/pause.js";

/** How long a slice is, in UTF-16 code units: a few milliseconds of work for a browser's storage or its encoder. */
export const SLICE = 262_144;

const encoder = new TextEncoder();

/** A beginning and a text in UTF-8, one behind the other. */
export async function utf8Of(beginning: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  // A code unit takes three bytes at most. What is not written to takes no memory.
  const bytes = new Uint8Array((beginning.length + text.length) * 3);
  let { written } = encoder.encodeInto(beginning, bytes);
  await eachSlice(text, (slice) => {
    written += encoder.encodeInto(slice, bytes.subarray(written)).written;
  });
  return bytes.subarray(0, written);
}

/** The number of bytes of a text in UTF-8. */
export async function utf8Length(text: string): Promise<number> {
  const bytes = new Uint8Array((Math.min(text.length, SLICE) + 1) * 3);
  let length = 0;
  await eachSlice(text, (slice) => {
    length += encoder.encodeInto(slice, bytes).written;
  });
  return length;
}

/** Calls a function with one slice of the text after the other, each in a task of its own. None ends within a surrogate pair. */
async function eachSlice(text: string, use: (slice: string) => void): Promise<void> {
  for (let at = 0; at < text.length; ) {
    if (at > 0) {
      await pause();
    }
    const end = Math.min(at + SLICE, text.length);
    const splitsPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = splitsPair ? end + 1 : end;
    use(text.slice(at, next));
    at = next;
  }
}
