// The engine's wasm module: compiled once, on first use.

import { findTokenizer } from "../counting/tokenizer.js";
import { epitomeError, messageOf } from "../error.js";
import * as glue from "../glue/epitome.js";
import { ScratchBuffer } from "./buffer.js";
import { loadOnce } from "./loaded.js";
import type { NumericSource } from "./numeric.js";

/** The functions of the module. They work once it is compiled. */
export type Engine = Omit<typeof glue, "default" | "initSync">;

/** What the module can be compiled from. */
export type ModuleInput = glue.InitInput;

/** Gives the module. */
export type Source = () => ModuleInput | Promise<ModuleInput>;

/** Where the modules come from that a compactor may need. */
export interface Modules {
  engine: Source;
  tokenizers: NumericSource;
}

/** The engine. Compiles its module, unless that is done or in progress. After a failure, the next call tries again. */
export function load(source: Source): Promise<Engine> {
  return loadOnce(() => compile(source));
}

async function compile(source: Source): Promise<{ engine: Engine; buffer: ScratchBuffer }> {
  try {
    const { memory } = await glue.default({ module_or_path: await source() });
    const buffer = new ScratchBuffer(memory, glue.resizeBuffer);
    glue.connect({
      findTokenizer: (name) => findTokenizer(name, memory),
      writeText: (text) => buffer.write(text),
    });
    return { engine: glue, buffer };
  } catch (cause) {
    throw epitomeError("not-loaded", `the wasm module could not be loaded: ${messageOf(cause, "no reason was given")}`, cause);
  }
}
