// Wasm modules with glue besides the engine: each is fetched with its glue on first use, and has one instance.

import { epitomeError, messageOf } from "../error.js";
import type { Host } from "../glue/epitome.js";
import { ScratchBuffer, type ResizeBuffer } from "./buffer.js";
import type { ModuleInput, Source } from "./engine.js";

/** What the glue of every such module has. */
interface Glue {
  default(input: { module_or_path: ModuleInput }): Promise<{ memory: WebAssembly.Memory }>;
  resizeBuffer: ResizeBuffer;
  connect(host: Host): void;
}

/** A function that loads a module with this glue, unless that is done or in progress. After a failure, the next call tries
 * again. */
export function loaderOf<G extends Glue>(glue: () => Promise<{ createGlue(): G }>): (source: Source) => Promise<G> {
  let loading: Promise<G> | undefined;
  return (source) => {
    loading ??= instantiate(glue, source).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

async function instantiate<G extends Glue>(glue: () => Promise<{ createGlue(): G }>, source: Source): Promise<G> {
  try {
    const [{ createGlue }, input] = await Promise.all([glue(), source()]);
    const module = createGlue();
    const { memory } = await module.default({ module_or_path: input });
    const buffer = new ScratchBuffer(memory, module.resizeBuffer);
    module.connect({ findEncoding: () => undefined, findTokenizer: () => undefined, writeText: (text) => buffer.write(text) });
    return module;
  } catch (cause) {
    throw epitomeError("not-loaded", `a wasm module could not be loaded: ${messageOf(cause, "no reason was given")}`, cause);
  }
}
