// The wasm modules as the package's code contains them: each in a file of its own that is imported on first use.

import type { ModuleInput } from "../wasm/engine.js";
import type { Part } from "../wasm/parts.js";

/** The build XORs each byte with it. Characters that take two bytes or are escaped get rare by that. */
const MASK = 0x76;

/** The parts of the engine. */
const PARTS: Record<Part, () => Promise<{ module: string }>> = {
  summaries: () => import("../glue/summaries-inlined.js"),
  extractive: () => import("../glue/extractive-inlined.js"),
  snapshots: () => import("../glue/snapshots-inlined.js"),
  anthropic: () => import("../glue/anthropic-inlined.js"),
  "openai-responses": () => import("../glue/openai-responses-inlined.js"),
  "ai-sdk": () => import("../glue/ai-sdk-inlined.js"),
  gemini: () => import("../glue/gemini-inlined.js"),
  langchain: () => import("../glue/langchain-inlined.js"),
  bedrock: () => import("../glue/bedrock-inlined.js"),
};

/** The engine. */
export async function engineModule(): Promise<ModuleInput> {
  return bytesOf((await import("../glue/epitome-inlined.js")).module);
}

/** A part of the engine. */
export async function partModule(part: Part): Promise<BufferSource> {
  return bytesOf((await PARTS[part]()).module);
}

/** The module that asks providers. */
export async function endpointModule(): Promise<ModuleInput> {
  return bytesOf((await import("../glue/endpoint-inlined.js")).module);
}

/** The module that validates, repairs, converts and detects messages. */
export async function validationModule(): Promise<ModuleInput> {
  return bytesOf((await import("../glue/validation-inlined.js")).module);
}

/** The module that estimates the tokens of texts. */
export async function estimateModule(): Promise<BufferSource> {
  return bytesOf((await import("../glue/estimate-inlined.js")).module);
}

/** The module that counts exactly. */
export async function counterModule(): Promise<BufferSource> {
  return bytesOf((await import("../glue/count-inlined.js")).module);
}

/** The module that reads a `tokenizer.json` and counts by it. */
export async function tokenizerModule(): Promise<BufferSource> {
  return bytesOf((await import("../glue/tokenizer-inlined.js")).module);
}

/** The module that searches a conversation. */
export async function recallModule(): Promise<BufferSource> {
  return bytesOf((await import("../glue/recall-inlined.js")).module);
}

/**
 * The bytes of a module that is stored as one character per byte. It is not packed, because the compression of HTTP makes
 * it nearly as small as the file. Node's own function for the low bytes of characters is faster than a loop that runs for
 * the first time.
 */
function bytesOf(module: string): BufferSource {
  const bytes = new Uint8Array(module.length);
  const { Buffer: node } = globalThis as { Buffer?: NodeBuffer };
  if (node !== undefined) {
    node.from(bytes.buffer).write(module, "latin1");
    for (let index = 0; index < bytes.length; index += 1) {
      bytes[index]! ^= MASK;
    }
  } else {
    for (let index = 0; index < bytes.length; index += 1) {
      bytes[index] = module.charCodeAt(index) ^ MASK;
    }
  }
  return bytes;
}

/** What is used of Node's `Buffer`. */
interface NodeBuffer {
  from(bytes: ArrayBuffer): { write(text: string, encoding: "latin1"): number };
}
