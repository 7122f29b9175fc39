// The wasm modules as files next to the package's code.

import { bytesAt } from "../counting/vocabulary.js";
import type { ModuleInput } from "../wasm/engine.js";

/** The engine, unless the app has given it to `init`. */
export function engineModule(): ModuleInput {
  return new URL("../glue/epitome_bg.wasm", import.meta.url);
}

/** The module that asks providers. */
export function endpointModule(): Promise<ModuleInput> {
  return bytesAt(new URL("../glue/endpoint_bg.wasm", import.meta.url));
}

/** The module that summarizes without a model. */
export function extractiveModule(): Promise<ModuleInput> {
  return bytesAt(new URL("../glue/extractive_bg.wasm", import.meta.url));
}

/** The module that validates, repairs, converts and detects messages. */
export function legalityModule(): Promise<ModuleInput> {
  return bytesAt(new URL("../glue/legality_bg.wasm", import.meta.url));
}

/** The module that only counts. */
export function counterModule(): Promise<BufferSource> {
  return bytesAt(new URL("../glue/count_bg.wasm", import.meta.url));
}

/** The module that reads a `tokenizer.json` and counts by it. */
export function tokenizerModule(): Promise<BufferSource> {
  return bytesAt(new URL("../glue/tokenizer_bg.wasm", import.meta.url));
}

/** The module that searches a conversation. */
export function recallModule(): Promise<BufferSource> {
  return bytesAt(new URL("../glue/recall_bg.wasm", import.meta.url));
}
