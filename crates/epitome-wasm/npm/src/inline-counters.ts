// The wasm modules that only count, as they come along with the code.

/** What makes those bytes rare that are no character of a string's, or take a backslash. */
const MASK = 63;

export async function inlineCounter(): Promise<BufferSource> {
  return bytesOf((await import("./glue/count-inlined.js")).module);
}

export async function inlineTokenizer(): Promise<BufferSource> {
  return bytesOf((await import("./glue/tokenizer-inlined.js")).module);
}

/** Not packed: a character is a byte, which the web's own compression makes as small as the file itself. */
function bytesOf(module: string): BufferSource {
  const bytes = new Uint8Array(module.length);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (module.charCodeAt(at) & 0xff) ^ MASK;
  }
  return bytes;
}
