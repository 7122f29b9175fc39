// Estimating and counting in headless Chromium: throughput in one page, and the start in new pages.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { serve } from "../page/server.mjs";

/** Without network traffic of its own, sandbox and graphics, as in the tests. */
const ARGUMENTS = JSON.parse(readFileSync(new URL("../../../tests/chromium.json", import.meta.url), "utf8"));

const CANDIDATES = {
  estimating: ["epitome", "tokenx"],
  counting: ["epitome", "gpt-tokenizer", "ai-tokenizer"],
};

/** Its import takes ten seconds or more in this browser: quick runs leave it out, and full runs start it once. */
const SLOW = "ai-tokenizer";

export async function measure({ quick, progress }) {
  const { address, close } = await serve();
  const browser = await chromium.launch({
    executablePath: process.env.EPITOME_BROWSER || "/usr/bin/chromium",
    args: [...ARGUMENTS, "--js-flags=--expose-gc"],
  });
  /** Runs `work` in a new page with empty caches. */
  const inPage = async (work) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on("console", (message) => progress(message.text()));
    await page.goto(address);
    try {
      return await work(page);
    } finally {
      await context.close();
    }
  };
  try {
    const names = Object.fromEntries(
      Object.entries(CANDIDATES).map(([what, all]) => [what, all.filter((name) => !quick || name !== SLOW)]),
    );
    const starts = {};
    for (let round = 0; round < (quick ? 3 : 9); round += 1) {
      progress(`start, round ${round + 1}`);
      for (const [what, name] of Object.entries(names).flatMap(([what, all]) => all.map((name) => [what, name]))) {
        if (name === SLOW && round > 0) {
          continue;
        }
        const ms = await inPage((page) =>
          page.evaluate(async (given) => (await import("/candidates.js")).start(...given), [what, name]),
        );
        starts[`${what}: ${name}`] = Math.min(ms, starts[`${what}: ${name}`] ?? ms);
      }
    }
    const throughput = (what, bytes, repetitions) =>
      inPage((page) =>
        page.evaluate(
          async (given) => (await import("/measure.js")).measure(...given),
          [what, names[what], bytes, repetitions],
        ),
      );
    return {
      version: browser.version(),
      start: Object.entries(starts).map(([whose, ms]) => ({ whose, ms })),
      estimating: await throughput("estimating", 300_000, quick ? 5 : 15),
      counting: await throughput("counting", quick ? 40_000 : 200_000, quick ? 4 : 8),
    };
  } finally {
    await browser.close();
    close();
  }
}
