// The wasm modules that only count, as they come along with the code.

export async function inlineCounter(): Promise<BufferSource> {
  return bytesOf((await import("./glue/count-inlined.js")).module);
}

export async function inlineTokenizer(): Promise<BufferSource> {
  return bytesOf((await import("./glue/tokenizer-inlined.js")).module);
}

/**
 * The low byte of every character. It is not packed: the web's own compression makes such a string as small as the file
 * itself. Node has a function for it, which is quicker than code that has not run before.
 */
function bytesOf(module: string): BufferSource {
  const bytes = new Uint8Array(module.length);
  const { Buffer: node } = globalThis as { Buffer?: NodeBuffer };
  if (node !== undefined) {
    node.from(bytes.buffer).write(module, "latin1");
    return bytes;
  }
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = module.charCodeAt(at);
  }
  return bytes;
}

/** What is used of Node's own. */
interface NodeBuffer {
  from(bytes: ArrayBuffer): { write(text: string, encoding: "latin1"): number };
}
