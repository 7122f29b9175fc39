// Wasm modules from bytes, or as they are.

/** The module of these bytes. One that is compiled stays as it is. */
export async function compile(input: BufferSource | WebAssembly.Module): Promise<WebAssembly.Module> {
  return isCompiled(input) ? input : WebAssembly.compile(input);
}

/** Not by `instanceof`: the edge runtime of Next compiles modules outside of the realm that the app runs in. */
function isCompiled(input: object): input is WebAssembly.Module {
  return Object.prototype.toString.call(input) === "[object WebAssembly.Module]";
}
