// The package without its wasm modules, which are files next to the code, or given by the app.

import { engineModule } from "../api-slim/modules.js";
import { load } from "../wasm/engine.js";

export * from "../api-slim/api.js";

/**
 * Loads the engine's wasm module: from an address, a response, bytes or a compiled module, and without `input` from the
 * file next to the code. If it is not called, the first function that needs the module loads that file.
 *
 * In Node, which does not fetch files, give the bytes of `epitome/wasm`.
 */
export async function init(
  input?: string | URL | Request | Response | BufferSource | WebAssembly.Module,
): Promise<void> {
  await load(() => input ?? engineModule());
}
