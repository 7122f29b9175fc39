// Wasm modules whose functions take and return only numbers, and which therefore need no glue.

import { epitomeError, messageOf } from "../error.js";
import type { ScratchBuffer } from "./buffer.js";
import { compile } from "./compile.js";

/** Gives such a module. */
export type NumericSource = () => Promise<BufferSource | WebAssembly.Module>;

/** Compiles a module whose exports are of type `E`. */
export async function instantiate<E>(source: NumericSource): Promise<E> {
  try {
    const module = await compile(await source());
    const imports: Record<string, Record<string, () => void>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = unexpectedCall;
    }
    return (await WebAssembly.instantiate(module, imports)).exports as E;
  } catch (cause) {
    const reason = messageOf(cause, "no reason was given");
    throw epitomeError("not-loaded", `a wasm module could not be loaded: ${reason}`, cause);
  }
}

/**
 * A function that compiles a module, unless that is done or in progress, and resolves to what `make` makes of its exports. After a
 * failure, the next call tries again.
 */
export function loader<E, M>(make: (exports: E) => M): (source: NumericSource) => Promise<M> {
  let loading: Promise<M> | undefined;
  return (source) => {
    loading ??= instantiate<E>(source).then(make).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** The numbers that a module gives to names. It is asked once for each. */
export class NumberedNames {
  readonly #known = new Map<string, number>();
  readonly #buffer: ScratchBuffer;
  readonly #find: (bytes: number) => number;

  /** `find` looks up the name that is in the buffer: below 0 if there is no such name. */
  constructor(buffer: ScratchBuffer, find: (bytes: number) => number) {
    this.#buffer = buffer;
    this.#find = find;
  }

  /** The number of a name that was asked for before. */
  known(name: string): number | undefined {
    return this.#known.get(name);
  }

  /** The number of a name; throws what `unknown` gives if it has none. */
  of(name: string, unknown: () => Error): number {
    let number = this.#known.get(name);
    if (number === undefined) {
      number = this.#find(this.#buffer.write(name));
      if (number < 0) {
        throw unknown();
      }
      this.#known.set(name, number);
    }
    return number;
  }
}

/** What stands for all imports. The module calls one only if it has a bug. */
function unexpectedCall(): never {
  throw epitomeError("internal", "a wasm module has made a mistake");
}
