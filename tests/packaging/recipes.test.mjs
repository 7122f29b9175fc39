// Each recipe of docs/recipes.md, as it is written there, with the packed package. That of Next is in next.test.mjs.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { Miniflare } from "miniflare";
import { chromium } from "playwright-core";
import * as vite from "vite";
import { ARGUMENTS, executablePath, noBrowser } from "./chromium.mjs";
import { packedApp, run, tooMany } from "./packed.mjs";
import { RECIPES, writeRecipe } from "./recipes.mjs";
import { serve } from "./serve.mjs";
import { workerModules } from "./workerd.mjs";

const FILL = /^\d+ of 128000 tokens$/;
let app;

before(async () => {
  app = await packedApp();
});

after(() => app.remove());

/** The folder of a recipe's files. */
async function written(heading, folder = join(app.folder, "recipes", heading.replaceAll(/\W/g, "-"))) {
  await writeRecipe(heading, folder);
  return folder;
}

/** What the page of a folder shows, each time that it is loaded. */
async function shownBy(root, script, loads = 1) {
  const site = await serve(root, script);
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    const page = await browser.newPage();
    const failed = new Promise((_, reject) => page.once("pageerror", reject));
    const shown = [];
    for (let load = 0; load < loads; load += 1) {
      await page.goto(site.address);
      const fill = page.locator("#fill").filter({ hasText: /./ });
      await Promise.race([fill.waitFor({ timeout: 120_000 }), failed]);
      shown.push(await fill.innerText());
    }
    return shown;
  } finally {
    await browser.close();
    site.close();
  }
}

async function bundled(folder, entries) {
  const outdir = join(folder, "out");
  const entryPoints = entries.map((entry) => join(folder, entry));
  await esbuild.build({ entryPoints, bundle: true, format: "esm", splitting: true, outdir });
  return outdir;
}

/** Every recipe, and how it is run. */
const RUNS = {
  "A page without a bundler": async () => {
    const [shown] = await shownBy(await written("A page without a bundler", app.folder));
    assert.match(shown, FILL);
  },
  "Vite": async () => {
    const root = await written("Vite");
    await vite.build({ root, logLevel: "error", build: { chunkSizeWarningLimit: Infinity } });
    const [shown] = await shownBy(join(root, "dist"));
    assert.match(shown, FILL);
  },
  "A worker with esbuild or Rollup": async () => {
    const folder = await written("A worker with esbuild or Rollup");
    const [shown] = await shownBy(await bundled(folder, ["chat.js", "engine.js"]), "/chat.js");
    assert.match(shown, FILL);
  },
  "Node and Deno": async () => {
    const cwd = await written("Node and Deno");
    const deno = fileURLToPath(new URL("node_modules/.bin/deno", import.meta.url));
    for (const [program, words] of [[process.execPath, []], [deno, ["run", "--no-lock", "--no-prompt"]]]) {
      const { stdout } = await run(program, [...words, "chat.js"], { cwd, env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" } });
      assert.match(stdout.trim(), FILL);
    }
  },
  "Cloudflare Workers": async () => {
    const folder = await written("Cloudflare Workers");
    const miniflare = new Miniflare({ modules: await workerModules(join(folder, "worker.js")), compatibilityDate: "2026-01-01" });
    try {
      const answer = await miniflare.dispatchFetch("http://worker/", { method: "POST", body: JSON.stringify(tooMany) });
      const fitting = await answer.json();
      assert.ok(fitting.length > 0 && fitting.length < tooMany.length);
    } finally {
      await miniflare.dispose();
    }
  },
  "A chat that is there after a reload": async () => {
    const folder = await written("A chat that is there after a reload");
    assert.deepEqual(await shownBy(await bundled(folder, ["chat.js"]), "/chat.js", 2), ["1 messages", "2 messages"]);
  },
  "An answer that is generated again": async () => {
    const { stdout } = await run(process.execPath, ["chat.js"], { cwd: await written("An answer that is generated again") });
    assert.equal(stdout.trim(), "Ghislaine de Féligonde.");
  },
};

test("m5: every recipe is run", () => {
  assert.deepEqual([...RECIPES.keys()].sort(), [...Object.keys(RUNS), "Next"].sort());
});

for (const [name, runs] of Object.entries(RUNS)) {
  test(`m5: the recipe “${name}” works as it is written`, { skip: noBrowser }, runs);
}
