// The package without its wasm modules, which are files next to the code, or given by the app.

import { engineModule, giveModules, type LaterModules, partModule } from "../api-slim/modules.js";
import { load } from "../wasm/engine.js";

export * from "../api-slim/api.js";

/**
 * Loads the engine's wasm module: from an address, a response, bytes or a compiled module, and without `input` from the
 * file next to the code. If it is not called, the first function that needs the module loads that file.
 *
 * In Node, which does not fetch files, give the bytes of `epitome/wasm`. The other modules are fetched when they are first
 * used, also in Node; a runtime that cannot do that gets them here, as `epitome/wasm/extractive` and so on.
 */
export async function init(
  input?: string | URL | Request | Response | BufferSource | WebAssembly.Module,
  others: LaterModules = {},
): Promise<void> {
  giveModules(others);
  await load({ engine: () => input ?? engineModule(), part: partModule });
}
