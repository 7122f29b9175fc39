// The package's types, compiled with those of the SDKs: what apps write, and every block of both READMEs.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { blocks } from "./readme.mjs";

const run = promisify(execFile);
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const out = fileURLToPath(new URL("../out/types", import.meta.url));
const fileNameOf = ({ name }) => `${name.replace(/\W/g, "-")}.ts`;

before(async () => {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const block of blocks) {
    const given = Object.entries(block.given).map(([name, type]) => `declare const ${name}: ${type};\n`);
    await writeFile(join(out, fileNameOf(block)), `${block.code}\n${given.join("")}export {};\n`);
  }
});

/** What a strict compiler says about these files. */
async function problems(name, files, options) {
  const config = join(out, `${name}.json`);
  const compilerOptions = {
    noEmit: true, strict: true, noUncheckedIndexedAccess: true, target: "es2022", module: "nodenext", types: ["node"],
    // LangChain's declarations need those of `using`, and its examples an array's `findLast`.
    lib: ["es2023", "dom", "dom.iterable", "esnext.disposable"],
    ...options,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  return run(process.execPath, [TSC, "--project", config], { cwd: out }).then(() => "", ({ stdout }) => stdout);
}

const SETTINGS = { "with skipLibCheck": { skipLibCheck: true }, "without skipLibCheck": { skipLibCheck: false } };

for (const [setting, options] of Object.entries(SETTINGS)) {
  test(`k5: messages go to and come from every SDK without a cast, and wrong pairs do not compile, ${setting}`, async () => {
    const file = fileURLToPath(new URL("compiles.ts", import.meta.url));
    assert.equal(await problems(`compiles-${options.skipLibCheck}`, [file], options), "");
  });

  test(`k5: every block of the READMEs compiles, ${setting}`, async () => {
    assert.ok(blocks.length > 15, `${blocks.length} blocks`);
    assert.equal(await problems(`readme-${options.skipLibCheck}`, blocks.map(fileNameOf), options), "");
  });
}
