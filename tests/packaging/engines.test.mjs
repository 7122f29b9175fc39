// The packed package in each browser engine: in a page, in a worker, and kept in IndexedDB.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as vite from "vite";
import { ENGINES, inEngine, missing } from "./engines.mjs";
import { expected, packedApp } from "./packed.mjs";
import { serve } from "./serve.mjs";

const SCRIPT = `import { createCompactor } from "epitome";
import { indexedDbStore, openConversation } from "epitome/storage";
import { createWorkerCompactor, openWorkerConversation } from "epitome/worker";
import { compacted } from "./compaction.js";

/** What another opening of a conversation reads, once it was compacted and closed. */
async function kept(openConversation, id) {
  const opened = [];
  const open = async (options) => {
    opened.push(await openConversation({ store: indexedDbStore(), id, ...options }));
    return opened.at(-1).compactor;
  };
  const written = await compacted(async (options) => {
    opened.options = options;
    return open(options);
  });
  await opened[0].compactor.commit();
  await opened[0].close();
  const read = JSON.stringify(await (await open(opened.options)).messages());
  return written === read ? read : \`\${read} instead of \${written}\`;
}

const outcomes = async () => ({
  page: await compacted(createCompactor),
  worker: await compacted(createWorkerCompactor),
  kept: await kept(openConversation, "chat:1"),
  keptInWorker: await kept(openWorkerConversation, "chat:2"),
});
globalThis.outcomes = outcomes().catch((error) => String(error?.stack ?? error));
`;
let app;
let site;

before(async () => {
  app = await packedApp();
  await writeFile(join(app.folder, "everywhere.js"), SCRIPT);
  await vite.build({
    root: app.folder,
    configFile: false,
    logLevel: "error",
    build: { outDir: "everywhere", target: "es2022", chunkSizeWarningLimit: Infinity, rollupOptions: { input: join(app.folder, "everywhere.js"), output: { entryFileNames: "main.js" } } },
  });
  site = await serve(join(app.folder, "everywhere"), "/main.js");
});

after(async () => {
  site?.close();
  await app?.remove();
});

for (const [name, engine] of Object.entries(ENGINES)) {
  test(`m5: in ${name}, the packed package compacts in a page and in a worker, and keeps it in IndexedDB, as the engine does without wasm`, { skip: missing(engine) }, async (context) => {
    const outcomes = await inEngine(engine, site.address, async (session) => {
      await session.manage().setTimeouts({ script: 120_000 });
      context.diagnostic(`${name} ${(await session.getCapabilities()).getBrowserVersion()}`);
      // WebKit may say that the page is loaded before its script has run.
      await session.wait(() => session.executeScript("return globalThis.outcomes !== undefined"), 60_000, "waited for the script");
      return session.executeAsyncScript("globalThis.outcomes.then(arguments[0])");
    });
    const wanted = JSON.stringify(expected);
    assert.deepEqual(outcomes, { page: wanted, worker: wanted, kept: wanted, keptInWorker: wanted });
  });
}
