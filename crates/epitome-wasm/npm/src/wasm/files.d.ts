// A file of wasm that is imported as a module, which some runtimes compile in advance.

declare module "*_bg.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*_bg.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
