// The package in a worker of a page, under a strict policy: the same results as on the main thread, and nobody who waits for ever.

import { expect, test } from "@playwright/test";
import { serve } from "../../node/clients.mjs";
import { page } from "./page.mjs";

const policy = (workers) => ({
  "content-security-policy": `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src ${workers}; connect-src 'self'`,
});
const OWN_WORKER = 'import { serveCompactors } from "/package/entrypoints/worker.js";\nserveCompactors();\n';

/** A page of this policy, on which the files of these names are missing. */
async function opened(tab, { workers = "'self'", missing = /^$/ } = {}) {
  const home = await serve(({ request, response }) => {
    if (missing.test(request.url)) {
      response.writeHead(404).end();
    } else if (request.url === "/own-worker.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(OWN_WORKER);
    } else {
      page(request, response, policy(workers));
    }
  });
  await tab.goto(home.origin);
  return home;
}

/** In the page: the same compaction on the main thread and in a worker. */
async function compactedTwice() {
  const [main, worker] = await Promise.all([import("/package/entrypoints/index.js"), import("/package/entrypoints/worker.js")]);
  const messages = Array.from({ length: 60 }, (_, turn) => ({ role: turn % 2 ? "assistant" : "user", content: `Turn ${turn}: bed ${turn * 7} gets ${turn} roses.` }));
  const own = new Worker("/own-worker.js", { type: "module" });
  const makers = [main.createCompactor, worker.createWorkerCompactor, (options) => worker.createWorkerCompactor({ ...options, worker: own })];
  const results = [];
  for (const make of makers) {
    const events = [];
    const compactor = await make({ format: "openai-chat", policy: { window: 500 }, onEvent: ({ type }) => events.push(type) });
    await compactor.append(messages);
    const { durationMs, waitedMs, ...report } = await compactor.compact();
    const view = await compactor.messages();
    results.push({ report, events, view, kept: view.map((message) => messages.indexOf(message)), status: await compactor.status() });
    compactor.dispose();
  }
  return results;
}

test("m6: in a page with a strict policy, a compaction in a worker has the result of one on the main thread", async ({ page: tab }) => {
  const home = await opened(tab);
  const [main, ...others] = await tab.evaluate(compactedTwice);
  expect(main.report.outcome).toBe("applied");
  for (const other of others) {
    expect(other).toEqual(main);
  }
  await expect.poll(() => tab.workers().map((worker) => worker.url())).toEqual([`${home.origin}/own-worker.js`]);
  home.close();
});

/** In the page: what a conversation that a worker keeps is when it is opened again here. */
async function keptInWorker() {
  const [worker, storage] = await Promise.all([import("/package/entrypoints/worker.js"), import("/package/entrypoints/storage.js")]);
  const options = { store: storage.indexedDbStore({ name: "beds" }), id: "chat", format: "openai-chat", policy: { window: 500 } };
  const { compactor, close } = await worker.openWorkerConversation(options);
  await compactor.append(Array.from({ length: 60 }, (_, turn) => ({ role: "user", content: `Turn ${turn}: bed ${turn * 7} gets ${turn} roses.` })));
  await compactor.commit();
  const { outcome } = await compactor.compact();
  const kept = await compactor.messages();
  await close();
  const again = await storage.openConversation(options);
  const [tail, view] = [await storage.readTail(options), again.compactor.messages()];
  again.close();
  return { outcome, kept, tail: tail?.messages, view };
}

test("m6: in a page with a strict policy, a conversation is kept by a worker and opened again on the main thread", async ({ page: tab }) => {
  const home = await opened(tab);
  const { outcome, kept, tail, view } = await tab.evaluate(keptInWorker);
  expect(outcome).toBe("applied");
  expect([view, tail]).toEqual([kept, kept]);
  await expect.poll(() => tab.workers()).toEqual([]);
  home.close();
});

/** In the page: what waits for a worker that ends while a summary is written. */
async function ended(how) {
  const { createWorkerCompactor } = await import("/package/entrypoints/worker.js");
  const worker = how === "terminate()" ? undefined : new Worker("/own-worker.js", { type: "module" });
  let asked;
  const isAsked = new Promise((resolve) => (asked = resolve));
  const summarize = (_, { signal }) => (asked(signal), new Promise(() => {}));
  const compactor = await createWorkerCompactor({ format: "openai-chat", policy: { window: 500 }, summarize, ...(worker && { worker }) });
  await compactor.append(Array.from({ length: 60 }, (_, turn) => ({ role: "user", content: `Turn ${turn} is about roses.` })));
  const waiting = [compactor.compact(), compactor.recall("roses")];
  const signal = await isAsked;
  (worker ?? compactor).terminate();
  const codes = (await Promise.allSettled(waiting)).map(({ reason, value }) => reason?.code ?? typeof value);
  const later = await compactor.status().catch(({ code }) => code);
  compactor.dispose();
  return { code: codes[0], settled: codes.length, later, aborted: signal.aborted };
}

for (const [how, code] of [["terminate()", "disposed"], ["the worker's own terminate()", "broken"]]) {
  test(`m6: in a page, everything that waits settles after ${how}`, async ({ page: tab }) => {
    const home = await opened(tab);
    expect(await tab.evaluate(ended, how)).toEqual({ code, settled: 2, later: code, aborted: true });
    home.close();
  });
}

/** In the page: the error for a worker that cannot be started. */
async function refused() {
  const { createWorkerCompactor } = await import("/package/entrypoints/worker.js");
  return createWorkerCompactor({ format: "openai-chat" }).then(String, ({ name, code, message }) => ({ name, code, message }));
}

for (const [fault, options] of [
  ["its script is missing", { missing: /engine-worker\.js$/ }],
  ["its code is missing", { missing: /epitome-inlined\.js$/ }],
  ["the policy forbids it", { workers: "'none'" }],
]) {
  test(`m6: in a page, a worker that cannot be started since ${fault} is reported`, async ({ page: tab }) => {
    const home = await opened(tab, options);
    expect(await tab.evaluate(refused)).toMatchObject({ name: "EpitomeError", code: "not-loaded" });
    await expect.poll(() => tab.workers()).toEqual([]);
    home.close();
  });
}
