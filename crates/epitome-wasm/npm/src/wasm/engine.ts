// The wasm module: compiled when it is first needed, once.

import { epitomeError } from "./error.js";
import * as glue from "./glue/epitome.js";
import type { NumericSource } from "./numeric.js";
import { Room } from "./room.js";
import { tokenizersFor } from "./tokenizer.js";

/** The functions of the module, which work once it is compiled. */
export type Engine = Omit<typeof glue, "default" | "initSync">;

/** What a module can be compiled from. */
export type ModuleInput = glue.InitInput;

/** Where the module comes from. */
export type Source = () => ModuleInput | Promise<ModuleInput>;

/** Where the modules come from that a compactor may need. */
export interface Modules {
  engine: Source;
  tokenizers: NumericSource;
}

let loading: Promise<Engine> | undefined;
let texts: Room | undefined;

/** Compiles the module, unless that is done or under way. A failure is not remembered. */
export function load(source: Source): Promise<Engine> {
  loading ??= compile(source).catch((cause: unknown) => {
    loading = undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw epitomeError("not-loaded", `the wasm module could not be loaded: ${reason}`, cause);
  });
  return loading;
}

/** The module, where somebody has asked for it. */
export function ready(): Promise<Engine | undefined> {
  return (loading ?? Promise.resolve(undefined)).catch(() => undefined);
}

/** Where texts for the module are written, once it is compiled. */
export function room(): Room {
  if (texts === undefined) {
    throw epitomeError("not-loaded", "the wasm module is not loaded");
  }
  return texts;
}

async function compile(source: Source): Promise<Engine> {
  const { memory } = await glue.default({ module_or_path: await source() });
  texts = new Room(memory, glue.room);
  glue.bringTokenizers(tokenizersFor(memory));
  return glue;
}
