// The wasm module that comes along with the code, packed.

import type { ModuleInput } from "./engine.js";

export async function inline(): Promise<ModuleInput> {
  const { gzipped } = await import("./glue/inlined.js");
  const packed = Uint8Array.from(atob(gzipped), (character) => character.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).arrayBuffer();
}
