// Makes a function of the glue that wasm-bindgen writes. The glue is a module, which has one instance of the wasm module; each
// call of the function makes another one.

const DECLARATION = /^export (class|function|async function) (\w+)/gm;
/** Where it keeps what the module exports, to which parts of the module add. */
const EXPORTS = /^    wasm = instance\.exports;$/m;
const LAST = /^export \{ initSync, __wbg_init as default \};$/m;

/** The text of a module that exports `createGlue`. Throws if the glue is not as it was when this was written. */
export function factoryOf(glue) {
  const names = [...glue.matchAll(DECLARATION)].map(([, , name]) => name);
  const body = glue.replace(DECLARATION, "$1 $2").replace(EXPORTS, "    wasm = { ...instance.exports };").replace(LAST, "").replace(/^\/\* @ts-self-types.*$/m, "");
  const problem =
    (names.length === 0 && "it declares nothing") ||
    (!LAST.test(glue) && "it does not export its `initSync` and `__wbg_init`") ||
    (!EXPORTS.test(glue) && "it does not keep what the module exports in `wasm`") ||
    (!/^let wasmModule\b/m.test(body) && "it does not keep its module in `wasmModule`") ||
    (/^\s*(export|import)\b|\bimport\.meta\b/m.test(body) && "it imports or exports something else");
  if (problem) {
    throw new Error(`the glue of wasm-bindgen has changed: ${problem}; see scripts/glue.mjs`);
  }
  return `export function createGlue() {\n${body}\nreturn { ${names.join(", ")}, default: __wbg_init, compiledModule: () => wasmModule, addExports: (exports) => Object.assign(wasm, exports) };\n}\n`;
}

/** Its types, for a module of this name. Those of what it returns are in the declarations of wasm-bindgen. */
export function factoryTypes(module) {
  return `import type * as glue from "./${module}.js";
/** The functions of a new instance of the module, which \`default\` loads. */
export declare function createGlue(): Omit<typeof glue, "initSync"> & {
  compiledModule(): WebAssembly.Module;
  /** Adds what a part of the module exports. */
  addExports(exports: WebAssembly.Exports): void;
};
`;
}
