// Wasm modules whose functions take and return only numbers, and which therefore need no glue.

import { epitomeError, messageOf } from "../error.js";

/** Gives such a module. */
export type NumericSource = () => Promise<BufferSource | WebAssembly.Module>;

/** Compiles a module whose exports are of type `E`. */
export async function instantiate<E>(source: NumericSource): Promise<E> {
  try {
    const input = await source();
    const module = input instanceof WebAssembly.Module ? input : await WebAssembly.compile(input);
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

/** What stands for all imports. The module calls one only if it has a bug. */
function unexpectedCall(): never {
  throw epitomeError("internal", "a wasm module has made a mistake");
}
