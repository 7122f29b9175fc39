// The engine's wasm module: compiled once, on first use, and instantiated for each group of compactors.

import { findEncoding } from "../counting/counter.js";
import { findTokenizer } from "../counting/tokenizer.js";
import { epitomeError, messageOf } from "../error.js";
import type * as glue from "../glue/epitome.js";
import { createGlue } from "../glue/factory.js";
import { ScratchBuffer } from "./buffer.js";
import { addParts, type Engine, type Instance, loadOnce } from "./instances.js";
import type { NumericSource } from "./numeric.js";
import { compilePart, Joint, type Part, type PartSource } from "./parts.js";

/** What the module can be compiled from. */
export type ModuleInput = glue.InitInput;

/** Gives the module. */
export type Source = () => ModuleInput | Promise<ModuleInput>;

/** Where the engine's module and its parts come from. */
export interface EngineSource {
  engine: Source;
  part: PartSource;
}

/** Where the modules come from that a compactor may need. */
export interface Modules extends EngineSource {
  validation: Source;
  counter: NumericSource;
  tokenizers: NumericSource;
  recall: NumericSource;
}

let compiled: WebAssembly.Module | undefined;

/** The engine with these parts. Compiles its module, unless that is done or in progress. After a failure, the next call tries
 * again. */
export async function load(source: EngineSource, ...parts: Part[]): Promise<Engine> {
  // All files are fetched at the same time. That a part cannot be fetched is reported when it is added.
  parts.forEach((part) => compilePart(part, source.part).catch(() => undefined));
  const engine = await loadOnce(() => instantiate(source));
  await addParts(engine, ...parts);
  return engine;
}

async function instantiate(source: EngineSource): Promise<Instance> {
  try {
    const engine = createGlue();
    const first = await engine.default({ module_or_path: compiled ?? (await source.engine()) });
    const { memory } = first;
    compiled = engine.compiledModule();
    const buffer = new ScratchBuffer(memory, engine.resizeBuffer);
    engine.connect({
      findEncoding: (name) => findEncoding(name, memory),
      findTokenizer: (name) => findTokenizer(name, memory),
      writeText: (text) => buffer.write(text),
    });
    const joint = new Joint(first as unknown as WebAssembly.Exports, engine.addExports, source.part);
    return { engine, memory, buffer, joint, compactors: 0, units: 0 };
  } catch (cause) {
    throw epitomeError("not-loaded", `the wasm module could not be loaded: ${messageOf(cause, "no reason was given")}`, cause);
  }
}
