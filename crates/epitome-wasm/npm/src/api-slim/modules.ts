// The wasm modules as files next to the package's code.

import { bytesAt } from "../counting/vocabulary.js";
import type { ModuleInput } from "../wasm/engine.js";

/** The engine, unless the app has given it to `init`. */
export function engineModule(): ModuleInput {
  return new URL("../glue/epitome_bg.wasm", import.meta.url);
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
