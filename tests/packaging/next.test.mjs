// The packed package in an app of Next: a component that the server renders, a route, and a component of the page, also in a worker.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGUMENTS, executablePath, noBrowser, outcomeAt } from "./chromium.mjs";
import { nextApp, noNext, served } from "./next.mjs";
import { expected, packedApp, tooMany } from "./packed.mjs";
import { writeRecipe } from "./recipes.mjs";

const EXPECTED = JSON.stringify(expected);
const skip = noNext(16);

const imports = (up) => `import { createCompactor } from "epitome";\nimport { compacted } from "${up}compaction.js";\nexport const dynamic = "force-dynamic";\n`;

const FILES = {
  "app/layout.js": 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
  "app/page.js": `${imports("../../")}export default async () => <pre>{await compacted(createCompactor)}</pre>;\n`,
  "app/route/route.js": `${imports("../../../")}export const GET = async () => new Response(await compacted(createCompactor));\n`,
  "app/client/page.js": `"use client";
import { useEffect } from "react";
import { createCompactor } from "epitome";
import { createWorkerCompactor } from "epitome/worker";
import { compacted } from "../../../compaction.js";

export default function Page() {
  useEffect(() => {
    globalThis.outcome = Promise.all([compacted(createCompactor), compacted(createWorkerCompactor)]).then((all) => all.join(), String);
  }, []);
  return <p>compacts</p>;
}
`,
};

// What a component of React shows of compactors, by `useSyncExternalStore`.
FILES["app/states/page.js"] = `"use client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { createCompactor } from "epitome";
import { createWorkerCompactor, statesOf } from "epitome/worker";

const OPTIONS = { format: "openai-chat", policy: { window: 2_000 } };
const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: ("All about bed " + turn + ". ").repeat(20) });

function State({ name, store }) {
  const { status, messages, isCompacting } = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const text = name + ": " + status.tokens + " tokens in " + messages.length + " messages" + (isCompacting ? ", compacting" : "");
  useEffect(() => {
    (globalThis.drawn ??= []).push(text);
  });
  return <p>{text}</p>;
}

export default function Page() {
  const [stores, setStores] = useState([]);
  useEffect(() => {
    globalThis.outcome = (async () => {
      const here = await createCompactor(OPTIONS);
      const inWorker = await createWorkerCompactor(OPTIONS);
      setStores([["here", here], ["in a worker", await statesOf(inWorker)]]);
      await Promise.all([here, inWorker].map(async (compactor) => {
        await compactor.append(Array.from({ length: 40 }, (_, turn) => said(turn)));
        await compactor.compact();
      }));
      const { status, messages } = here.getSnapshot();
      return status.tokens + " tokens in " + messages.length + " messages";
    })();
  }, []);
  return stores.map(([name, store]) => <State key={name} name={name} store={store} />);
}
`;

let app;
let server;
let address;

before(async () => {
  if (skip) {
    return;
  }
  app = await packedApp();
  const folder = await nextApp(16, app, FILES);
  await writeRecipe("Next", folder);
  // With webpack: its other bundler waits for ever where it is not given a network.
  server = await served(16, folder, "--webpack");
  address = server.address;
});

after(async () => {
  server?.close();
  await app?.remove();
});

test("m5: a server of Next compacts in a route and while it renders, as the engine does without wasm", { skip }, async () => {
  assert.equal(await (await fetch(`${address}/route`)).text(), EXPECTED);
  const html = await (await fetch(address)).text();
  const rendered = html.match(/<pre>([^]*?)<\/pre>/)[1];
  assert.equal(rendered.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"), EXPECTED);
});

test("m5: a component of Next compacts in the page and in a worker, with the same result", { skip: skip || noBrowser }, async () => {
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    assert.equal(await outcomeAt(browser, `${address}/client`), `${EXPECTED},${EXPECTED}`);
  } finally {
    await browser.close();
  }
});

test("m1: a component of React shows the state of a compactor, and of one in a worker, as it changes", { skip: skip || noBrowser }, async () => {
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    const page = await browser.newPage();
    await page.goto(`${address}/states`);
    await page.waitForFunction(() => globalThis.outcome !== undefined);
    const outcome = await page.evaluate(() => globalThis.outcome);
    assert.match(outcome, /^\d{3} tokens in \d messages$/);
    await page.getByText(`here: ${outcome}`, { exact: true }).waitFor();
    await page.getByText(`in a worker: ${outcome}`, { exact: true }).waitFor();
    const drawn = await page.evaluate(() => globalThis.drawn);
    for (const place of ["here", "in a worker"]) {
      const own = drawn.filter((text) => text.startsWith(`${place}:`));
      assert.ok(own.some((text) => text.endsWith("compacting")), own.join());
      assert.equal(new Set(own).size, own.length, "nothing is drawn twice");
    }
  } finally {
    await browser.close();
  }
});

test("m5: the recipe for Next works as it is written", { skip: skip || noBrowser }, async () => {
  const answer = await fetch(`${address}/fit`, { method: "POST", body: JSON.stringify(tooMany) });
  const fitting = await answer.json();
  assert.ok(fitting.length > 0 && fitting.length < tooMany.length);
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    const page = await browser.newPage();
    await page.goto(`${address}/fill`);
    await page.getByText(/^\d+ of 128000 tokens$/).waitFor({ timeout: 120_000 });
  } finally {
    await browser.close();
  }
});
