// Builds dist/ from src/ and from the wasm modules in the folder EPITOME_GLUE, where `cargo xtask build` puts them.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { declarations } from "./declarations.mjs";
import { factoryOf, factoryTypes } from "./glue.mjs";
import { writePage } from "./page.mjs";
import { writeVariant } from "./variants.mjs";

/** The wasm modules: those with glue, and those whose functions take only numbers and need none. */
const GLUED = ["epitome", "endpoint", "validation"];
const NUMERIC = ["count", "estimate", "tokenizer", "recall"];
/** Parts of `epitome`, which add functions to it. */
const PARTS = ["summaries", "extractive", "snapshots", "anthropic", "openai-responses", "ai-sdk", "gemini", "langchain", "bedrock"];
const MODULES = [...GLUED, ...NUMERIC, ...PARTS];

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const root = join(here, "../../..");
const glue = process.env.EPITOME_GLUE;
if (!glue || !MODULES.every((module) => existsSync(join(glue, `${module}_bg.wasm`)))) {
  console.error("EPITOME_GLUE has to be the folder of the wasm modules; `cargo xtask build` makes all of it");
  process.exit(1);
}

const dist = join(here, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "glue"), { recursive: true });

for (const module of GLUED) {
  const factory = module === "epitome" ? "factory" : `${module}-factory`;
  copyFileSync(join(glue, `${module}.d.ts`), join(dist, `glue/${module}.d.ts`));
  writeFileSync(join(dist, `glue/${factory}.js`), factoryOf(readFileSync(join(glue, `${module}.js`), "utf8")));
  writeFileSync(join(dist, `glue/${factory}.d.ts`), factoryTypes(module));
}

for (const module of MODULES) {
  const bytes = readFileSync(join(glue, `${module}_bg.wasm`));
  writeFileSync(join(dist, `glue/${module}_bg.wasm`), bytes);
  writeFileSync(join(dist, `glue/${module}-inlined.js`), `export const module = "${stringLiteral(bytes)}";\n`);
  writeFileSync(join(dist, `glue/${module}-inlined.d.ts`), "export declare const module: string;\n");
}
for (const module of NUMERIC) {
  copyFileSync(join(glue, `${module}_bg.wasm.d.ts`), join(dist, `glue/${module}_bg.wasm.d.ts`));
}

const typescript = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
// What runs only in Node has the types of Node, what works with an SDK has what its types need, and nothing else has.
for (const project of ["tsconfig.json", "tsconfig.server.json", "tsconfig.sdk.json"]) {
  execFileSync(process.execPath, [typescript, "--project", join(here, project)], { stdio: "inherit" });
}

// The slim entry has the same functions with other modules: `./modules.js` is that of the folder they are in.
for (const file of ["api.js", "counting.js"]) {
  copyFileSync(join(dist, "api", file), join(dist, "api-slim", file));
}

writeVariant(dist, "workerd");
writeVariant(dist, "edge");
await writePage(dist);

for (const [name, text] of Object.entries(declarations(dist))) {
  writeFileSync(join(dist, `${name}.d.ts`), text);
}

for (const license of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  copyFileSync(join(root, license), join(here, license));
}

/** Bytes as the content of a string literal, one character each. `bytesOf` in `src/api/modules.ts` reads them. In brotli, the engine
 * is smallest with this mask. No character is above 255: a browser keeps a script that has one in twice the memory, and takes
 * longer to read it. */
function stringLiteral(bytes) {
  const MASK = 0x76;
  // What a literal has to escape; and a script with the character 0 is taken for a binary file by some programs.
  const ESCAPED = { 0x00: "\\x00", 0x0a: "\\n", 0x0d: "\\r", 0x22: '\\"', 0x5c: "\\\\" };
  const character = (code) => ESCAPED[code] ?? String.fromCharCode(code);
  return Array.from(bytes, (byte) => character(byte ^ MASK)).join("");
}
