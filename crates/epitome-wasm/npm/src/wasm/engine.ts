// The engine's wasm module: compiled once, on first use, and instantiated for each group of compactors.

import { findEncoding } from "../counting/counter.js";
import { findTokenizer } from "../counting/tokenizer.js";
import { epitomeError, messageOf } from "../error.js";
import type * as glue from "../glue/epitome.js";
import { createGlue } from "../glue/factory.js";
import { ScratchBuffer } from "./buffer.js";
import { type Engine, type Instance, loadOnce } from "./instances.js";
import type { NumericSource } from "./numeric.js";

/** What the module can be compiled from. */
export type ModuleInput = glue.InitInput;

/** Gives the module. */
export type Source = () => ModuleInput | Promise<ModuleInput>;

/** Where the modules come from that a compactor may need. */
export interface Modules {
  engine: Source;
  extractive: Source;
  validation: Source;
  counter: NumericSource;
  tokenizers: NumericSource;
  recall: NumericSource;
}

let compiled: WebAssembly.Module | undefined;

/** The engine. Compiles its module, unless that is done or in progress. After a failure, the next call tries again. */
export function load(source: Source): Promise<Engine> {
  return loadOnce(() => instantiate(source));
}

async function instantiate(source: Source): Promise<Instance> {
  try {
    const engine = createGlue();
    const { memory } = await engine.default({ module_or_path: compiled ?? (await source()) });
    compiled = engine.compiledModule();
    const buffer = new ScratchBuffer(memory, engine.resizeBuffer);
    engine.connect({
      findEncoding: (name) => findEncoding(name, memory),
      findTokenizer: (name) => findTokenizer(name, memory),
      writeText: (text) => buffer.write(text),
    });
    return { engine, memory, buffer, compactors: 0, units: 0 };
  } catch (cause) {
    throw epitomeError("not-loaded", `the wasm module could not be loaded: ${messageOf(cause, "no reason was given")}`, cause);
  }
}
