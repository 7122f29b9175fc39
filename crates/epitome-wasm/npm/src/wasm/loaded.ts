// The engine once it is loaded, for code that only uses a loaded engine and so need not import the engine's glue.

import { epitomeError } from "../error.js";
import type { ScratchBuffer } from "./buffer.js";
import type { Engine } from "./engine.js";

let loading: Promise<Engine> | undefined;
let buffer: ScratchBuffer | undefined;

/** Compiles the module by `compile`, unless that is done or in progress. After a failure, the next call tries again. */
export function loadOnce(compile: () => Promise<{ engine: Engine; buffer: ScratchBuffer }>): Promise<Engine> {
  loading ??= compile().then(
    (compiled) => {
      buffer = compiled.buffer;
      return compiled.engine;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** The engine, if something has loaded it. */
export function loadedEngine(): Promise<Engine | undefined> {
  return (loading ?? Promise.resolve(undefined)).catch(() => undefined);
}

/** The scratch buffer in the engine's memory. */
export function engineBuffer(): ScratchBuffer {
  if (buffer === undefined) {
    throw epitomeError("not-loaded", "the wasm module is not loaded");
  }
  return buffer;
}
