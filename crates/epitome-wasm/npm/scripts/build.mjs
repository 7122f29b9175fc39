// Builds dist/ from src/ and from the folder EPITOME_GLUE, which wasm-bindgen and wasm-opt have filled.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { declarations } from "./declarations.mjs";
import { encodingAtOnce } from "./strings.mjs";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const root = join(here, "../../..");
const glue = process.env.EPITOME_GLUE;
if (!glue || !["epitome_bg.wasm", "count_bg.wasm", "tokenizer_bg.wasm"].every((file) => existsSync(join(glue, file)))) {
  console.error("EPITOME_GLUE has to be the folder of the wasm modules; `cargo xtask build` makes all of it");
  process.exit(1);
}

const dist = join(here, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "glue"), { recursive: true });

// Where no module is given the glue would fetch one beside it, and a bundler that sees this puts the
// file into every app, beside the module that is inlined. The package always gives one.
const script = readFileSync(join(glue, "epitome.js"), "utf8");
const detached = script.replace(/new URL\('epitome_bg\.wasm', import\.meta\.url\)/, "undefined");
if (detached.includes("import.meta")) {
  throw new Error("the glue finds its module in a way that this script does not know");
}
writeFileSync(join(dist, "glue/epitome.js"), encodingAtOnce(detached));
for (const file of ["epitome.d.ts", "epitome_bg.wasm", "count.d.ts"]) {
  copyFileSync(join(glue, file), join(dist, "glue", file));
}

// Of the modules that only count, the package needs none of the glue: nothing but numbers crosses.
for (const module of ["count", "tokenizer"]) {
  for (const file of [`${module}_bg.wasm`, `${module}_bg.wasm.d.ts`]) {
    copyFileSync(join(glue, file), join(dist, "glue", file));
  }
  const bytes = readFileSync(join(glue, `${module}_bg.wasm`));
  writeFileSync(join(dist, `glue/${module}-inlined.js`), `export const module = "${characters(bytes)}";\n`);
  writeFileSync(join(dist, `glue/${module}-inlined.d.ts`), "export declare const module: string;\n");
}

const packed = gzipSync(readFileSync(join(glue, "epitome_bg.wasm")), { level: 9 }).toString("base64");
writeFileSync(join(dist, "glue/inlined.js"), `export const gzipped =\n  "${packed}";\n`);
writeFileSync(join(dist, "glue/inlined.d.ts"), "export declare const gzipped: string;\n");

const typescript = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
execFileSync(process.execPath, [typescript, "--project", here], { stdio: "inherit" });

const { epitome, slim, tokens } = declarations(dist);
writeFileSync(join(dist, "epitome.d.ts"), epitome);
writeFileSync(join(dist, "slim.d.ts"), slim);
writeFileSync(join(dist, "tokens.d.ts"), tokens);

for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  copyFileSync(join(root, licence), join(here, licence));
}

/** Bytes as what stands between the quotes of a string, a character for each: `inline-counters.ts` turns them back. */
function characters(bytes) {
  const MASK = 0x30;
  const ESCAPED = [0x00, 0x0a, 0x0d, 0x22, 0x5c];
  const character = (code) => String.fromCharCode(ESCAPED.includes(code) ? code + 0x100 : code);
  return Array.from(bytes, (byte) => character(byte ^ MASK)).join("");
}
