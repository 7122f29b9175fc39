// Wasm modules that only numbers go in and out of, which need no glue.

import { epitomeError } from "./error.js";

/** Where such a module comes from. */
export type NumericSource = () => Promise<BufferSource>;

/** Compiles a module, whose exports are of the type `E`. */
export async function instantiate<E>(source: NumericSource): Promise<E> {
  try {
    const module = await WebAssembly.compile(await source());
    const imports: Record<string, Record<string, () => void>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = stopped;
    }
    return (await WebAssembly.instantiate(module, imports)).exports as E;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw epitomeError("not-loaded", `the wasm module that counts could not be loaded: ${reason}`, cause);
  }
}

/** Such a module calls nothing of ours unless it has a mistake in it. */
function stopped(): never {
  throw epitomeError("internal", "the module that counts has made a mistake");
}
