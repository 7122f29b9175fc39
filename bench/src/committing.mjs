// How long the commit of one turn takes in Chromium, into IndexedDB with strict durability, behind few messages and behind many.
//
//   node bench/src/committing.mjs [--rounds 60]
//
// Needs the package (`cargo xtask package`), the packages of `tests`, and Chromium (`EPITOME_BROWSER`).

import { parseArgs } from "node:util";
import { history, inOpenAI } from "./histories.mjs";
import { percentile } from "./statistics.mjs";

const { startBrowser } = await import(new URL("../../tests/storage/browser.mjs", import.meta.url));

const { values } = parseArgs({ options: { rounds: { type: "string", default: "60" } } });
const rounds = Number(values.rounds);
/** Messages of one turn: a request, two calls, two results, an answer. */
const TURN = 6;
const PART = 10_000;

const browser = await startBrowser();
try {
  for (const count of [1_000, 10_000, 100_000]) {
    const page = await browser.tab();
    const messages = inOpenAI(history(count + rounds * TURN));
    await page.evaluate(async (id) => {
      const { storage, store } = globalThis;
      globalThis.chat = await storage.openConversation({ store, id, format: "openai-chat", policy: { window: 200_000, triggers: ["manual"] } });
    }, `${count} messages`);
    for (let at = 0; at < count; at += PART) {
      await page.evaluate(
        (part) => {
          globalThis.chat.compactor.append(part);
          return globalThis.chat.compactor.commit();
        },
        messages.slice(at, Math.min(count, at + PART)),
      );
    }
    const turns = Array.from({ length: rounds }, (_, round) => messages.slice(count + round * TURN, count + (round + 1) * TURN));
    const times = await page.evaluate(async (all) => {
      const { compactor } = globalThis.chat;
      const spent = [];
      for (const turn of all) {
        compactor.append(turn);
        const started = performance.now();
        await compactor.commit();
        spent.push(performance.now() - started);
      }
      globalThis.chat.close();
      return spent;
    }, turns);
    await page.close();
    const figure = (share) => percentile(times, share).toFixed(1);
    console.log(`${count} messages: median ${figure(0.5)} ms, 95 of 100 within ${figure(0.95)} ms, slowest of ${rounds} ${figure(1)} ms`);
  }
} finally {
  await browser.close();
}
