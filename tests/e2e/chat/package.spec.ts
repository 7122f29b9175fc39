// The npm package without a bundler: on a page and in a worker.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";

const dist = fileURLToPath(new URL("../../../crates/epitome-wasm/npm/dist", import.meta.url));
const TYPES: Record<string, string> = { js: "text/javascript", wasm: "application/wasm" };

/** A script that compacts a conversation with this entry point, and posts the outcome. */
const script = (entry: string): string => `
  const { createCompactor, init } = await import("/package/entrypoints/${entry}.js");
  await init?.();
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 300 } });
  const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: "Bed " + turn + ". ".repeat(30) });
  compactor.append(Array.from({ length: 60 }, (_, turn) => said(turn)));
  const { outcome } = await compactor.compact();
  compactor.dispose();
  globalThis.postMessage(outcome);`;

/** A script that has the next summary written in advance, and posts what the compaction reports of it. */
const PREPARES = `
  const { createCompactor } = await import("/package/entrypoints/index.js");
  const policy = { window: 1_000, counting: { charactersPerToken: 4 }, reducers: [], prepareAt: { fraction: 0.6 }, keep: { fraction: 0.2 }, keepRequestsTokens: 0 };
  const prepared = Promise.withResolvers();
  const compactor = await createCompactor({
    format: "openai-chat",
    policy,
    summarize: () => "They have talked of roses.",
    onEvent: ({ type }) => type === "prepared" && prepared.resolve(),
  });
  const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: ("Bed " + turn + " ").padEnd(184, "x") });
  const say = (from, to) => Array.from({ length: to - from }, (_, at) => compactor.append(said(from + at)));
  say(0, 12);
  compactor.check("turnStart");
  await prepared.promise;
  say(12, 15);
  const { outcome, waitedMs, prepared: { used } } = await compactor.compactIfNeeded({ phase: "turnStart" });
  const isShown = JSON.stringify(compactor.messages()).includes("talked of roses");
  compactor.dispose();
  globalThis.postMessage({ outcome, waitedMs, used, isShown });`;

/** What the script of a page posts when a worker runs it. */
function postedByWorker(page: Page): Promise<unknown> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const worker = new Worker("/package/script.js", { type: "module" });
        worker.addEventListener("message", ({ data }) => resolve(data));
        worker.addEventListener("error", ({ message }) => resolve(message));
      }),
  );
}

/** An empty page, served with the package's files and a script. */
async function open(page: Page, text: string): Promise<void> {
  await page.context().route("**/package/**", async (route) => {
    const path = new URL(route.request().url()).pathname.replace("/package/", "");
    if (path === "") {
      return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>package</title>" });
    }
    if (path === "script.js") {
      return route.fulfill({ contentType: "text/javascript", body: text });
    }
    const contentType = TYPES[path.split(".").at(-1) ?? ""] ?? "text/plain";
    return route.fulfill({ contentType, body: await readFile(`${dist}/${path}`) });
  });
  await page.goto("/package/");
}

for (const entry of ["index", "slim"]) {
  test(`${entry} works on a page`, async ({ page }) => {
    await open(page, script(entry));
    const outcome = await page.evaluate(
      () =>
        new Promise((resolve) => {
          addEventListener("message", ({ data }) => resolve(data));
          document.head.append(Object.assign(document.createElement("script"), { type: "module", src: "/package/script.js" }));
        }),
    );
    expect(outcome).toBe("applied");
  });

  test(`${entry} works in a worker`, async ({ page }) => {
    await open(page, script(entry));
    expect(await postedByWorker(page)).toBe("applied");
  });
}

test("k9: a worker writes the next summary in advance, and swaps it in without waiting", async ({ page }) => {
  await open(page, PREPARES);
  expect(await postedByWorker(page)).toEqual({ outcome: "applied", waitedMs: 0, used: "asWritten", isShown: true });
});
