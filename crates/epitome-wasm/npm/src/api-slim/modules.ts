// The wasm modules as files next to the package's code, or as the app gives them.

import { bytesAt } from "../counting/vocabulary.js";
import type { ModuleInput } from "../wasm/engine.js";
import type { Part } from "../wasm/parts.js";

/** Modules that are fetched when they are first used, and that an app may give to `init` instead: `estimate` estimates
 * the tokens of texts, `count` counts exactly, `endpoint` asks providers, `validation` validates and converts, `recall` searches,
 * `tokenizer` counts by a `tokenizer.json`. The others are parts of the engine: `summaries` takes the summary of a compaction,
 * `extractive` summarizes without a model, `snapshots` restores compactors, and each of the rest reads and writes formats. */
export interface LaterModules {
  estimate?: BufferSource | WebAssembly.Module;
  count?: BufferSource | WebAssembly.Module;
  endpoint?: BufferSource | WebAssembly.Module;
  validation?: BufferSource | WebAssembly.Module;
  summaries?: BufferSource | WebAssembly.Module;
  extractive?: BufferSource | WebAssembly.Module;
  snapshots?: BufferSource | WebAssembly.Module;
  anthropic?: BufferSource | WebAssembly.Module;
  "openai-responses"?: BufferSource | WebAssembly.Module;
  "ai-sdk"?: BufferSource | WebAssembly.Module;
  gemini?: BufferSource | WebAssembly.Module;
  langchain?: BufferSource | WebAssembly.Module;
  bedrock?: BufferSource | WebAssembly.Module;
  recall?: BufferSource | WebAssembly.Module;
  tokenizer?: BufferSource | WebAssembly.Module;
}

const given: LaterModules = {};

/** The files of the engine's parts. */
const PARTS: Record<Part, () => URL> = {
  summaries: () => new URL("../glue/summaries_bg.wasm", import.meta.url),
  extractive: () => new URL("../glue/extractive_bg.wasm", import.meta.url),
  snapshots: () => new URL("../glue/snapshots_bg.wasm", import.meta.url),
  anthropic: () => new URL("../glue/anthropic_bg.wasm", import.meta.url),
  "openai-responses": () => new URL("../glue/openai-responses_bg.wasm", import.meta.url),
  "ai-sdk": () => new URL("../glue/ai-sdk_bg.wasm", import.meta.url),
  gemini: () => new URL("../glue/gemini_bg.wasm", import.meta.url),
  langchain: () => new URL("../glue/langchain_bg.wasm", import.meta.url),
  bedrock: () => new URL("../glue/bedrock_bg.wasm", import.meta.url),
};

/** Uses these modules in place of the files. */
export function giveModules(modules: LaterModules): void {
  Object.assign(given, modules);
}

/** The engine, unless the app has given it to `init`. */
export function engineModule(): ModuleInput {
  return new URL("../glue/epitome_bg.wasm", import.meta.url);
}

/** A part of the engine. */
export async function partModule(part: Part): Promise<BufferSource | WebAssembly.Module> {
  return given[part] ?? bytesAt(PARTS[part]());
}

/** The module that asks providers. */
export async function endpointModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.endpoint ?? bytesAt(new URL("../glue/endpoint_bg.wasm", import.meta.url));
}

/** The module that validates, repairs, converts and detects messages. */
export async function validationModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.validation ?? bytesAt(new URL("../glue/validation_bg.wasm", import.meta.url));
}

/** The module that estimates the tokens of texts. */
export async function estimateModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.estimate ?? bytesAt(new URL("../glue/estimate_bg.wasm", import.meta.url));
}

/** The module that counts exactly. */
export async function counterModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.count ?? bytesAt(new URL("../glue/count_bg.wasm", import.meta.url));
}

/** The module that reads a `tokenizer.json` and counts by it. */
export async function tokenizerModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.tokenizer ?? bytesAt(new URL("../glue/tokenizer_bg.wasm", import.meta.url));
}

/** The module that searches a conversation. */
export async function recallModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.recall ?? bytesAt(new URL("../glue/recall_bg.wasm", import.meta.url));
}
