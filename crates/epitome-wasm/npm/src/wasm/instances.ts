// The instances of the engine's module, for code that only uses a loaded engine and so need not import the engine's glue.
//
// Compactors share an instance, until it is better that new ones do not join them. The memory of an instance is given back
// when none of its compactors is left.

import { epitomeError } from "../error.js";
import type * as glue from "../glue/epitome.js";
import type { ScratchBuffer } from "./buffer.js";
import type { Joint, Part } from "./parts.js";

/** The functions of an instance of the module. */
export type Engine = Omit<typeof glue, "default" | "initSync">;

/** An instance, and what its compactors take of it. */
export interface Instance {
  readonly engine: Engine;
  readonly memory: WebAssembly.Memory;
  readonly buffer: ScratchBuffer;
  readonly joint: Joint;
  /** How many compactors it has. */
  compactors: number;
  /** How many characters their conversations have. */
  units: number;
}

/** The instance for what is new. */
let loading: Promise<Engine> | undefined;
let current: Engine | undefined;
const instances = new WeakMap<Engine, Instance>();

/** The engine for what is new: makes an instance by `instantiate`, unless there is one or it is being made. After a failure,
 * the next call tries again. */
export function loadOnce(instantiate: () => Promise<Instance>): Promise<Engine> {
  loading ??= instantiate().then(
    (instance) => {
      instances.set(instance.engine, instance);
      current = instance.engine;
      return instance.engine;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Leaves an instance to the compactors that it has: what is new gets another one. */
export function retire(engine: Engine): void {
  if (current === engine) {
    current = undefined;
    loading = undefined;
  }
}

/** The instance of an engine. */
export function instanceOf(engine: Engine): Instance {
  const instance = instances.get(engine);
  if (instance === undefined) {
    throw epitomeError("not-loaded", "the wasm module is not loaded");
  }
  return instance;
}

/** Adds parts to an engine, unless they are there. */
export async function addParts(engine: Engine, ...parts: readonly Part[]): Promise<void> {
  const { joint } = instanceOf(engine);
  await Promise.all(parts.map((part) => joint.add(part)));
}

/** The scratch buffer in an engine's memory. */
export function bufferOf(engine: Engine): ScratchBuffer {
  return instanceOf(engine).buffer;
}
