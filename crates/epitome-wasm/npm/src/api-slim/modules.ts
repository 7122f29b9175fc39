// The wasm modules as files next to the package's code, or as the app gives them.

import { bytesAt } from "../counting/vocabulary.js";
import type { ModuleInput } from "../wasm/engine.js";

/** Modules that are fetched when they are first used, and that an app may give to `init` instead: `estimate` estimates
 * the tokens of texts, `count` counts exactly, `endpoint` asks providers, `extractive` summarizes without a model, `validation`
 * validates and converts, `recall` searches, `tokenizer` counts by a `tokenizer.json`. */
export interface LaterModules {
  estimate?: BufferSource | WebAssembly.Module;
  count?: BufferSource | WebAssembly.Module;
  endpoint?: BufferSource | WebAssembly.Module;
  extractive?: BufferSource | WebAssembly.Module;
  validation?: BufferSource | WebAssembly.Module;
  recall?: BufferSource | WebAssembly.Module;
  tokenizer?: BufferSource | WebAssembly.Module;
}

const given: LaterModules = {};

/** Uses these modules in place of the files. */
export function giveModules(modules: LaterModules): void {
  Object.assign(given, modules);
}

/** The engine, unless the app has given it to `init`. */
export function engineModule(): ModuleInput {
  return new URL("../glue/epitome_bg.wasm", import.meta.url);
}

/** The module that asks providers. */
export async function endpointModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.endpoint ?? bytesAt(new URL("../glue/endpoint_bg.wasm", import.meta.url));
}

/** The module that summarizes without a model. */
export async function extractiveModule(): Promise<BufferSource | WebAssembly.Module> {
  return given.extractive ?? bytesAt(new URL("../glue/extractive_bg.wasm", import.meta.url));
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
