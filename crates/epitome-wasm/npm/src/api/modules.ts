// The wasm modules that only count, as they come along with the code.

/** What makes those bytes rare that are no character of a string's, or take several; for four at once. */
const MASK = 0x30303030;

export async function inlineCounter(): Promise<BufferSource> {
  return bytesOf((await import("./glue/count-inlined.js")).module);
}

export async function inlineTokenizer(): Promise<BufferSource> {
  return bytesOf((await import("./glue/tokenizer-inlined.js")).module);
}

/**
 * Not packed: a character is a byte, which the web's own compression makes nearly as small as the file itself. Node has
 * a function that takes the low bytes of characters, which is quicker than code that has not run before.
 */
function bytesOf(module: string): BufferSource {
  const words = new Uint32Array(Math.ceil(module.length / Uint32Array.BYTES_PER_ELEMENT));
  const bytes = new Uint8Array(words.buffer, 0, module.length);
  const { Buffer: node } = globalThis as { Buffer?: NodeBuffer };
  if (node !== undefined) {
    node.from(words.buffer).write(module, "latin1");
  } else {
    for (let at = 0; at < bytes.length; at += 1) {
      bytes[at] = module.charCodeAt(at);
    }
  }
  for (let at = 0; at < words.length; at += 1) {
    words[at]! ^= MASK;
  }
  return bytes;
}

/** What is used of Node's own. */
interface NodeBuffer {
  from(bytes: ArrayBuffer): { write(text: string, encoding: "latin1"): number };
}
