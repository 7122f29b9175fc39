// Exact counting: a vocabulary is loaded when it is chosen, and the page never blocks meanwhile.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, type Page, test } from "@playwright/test";
import { MainThread, staysBelow } from "./main-thread.js";
import { EpitomePage, isThere, recorded } from "./page.js";

const { get_encoding: reference } = createRequire(import.meta.url)("tiktoken") as typeof import("tiktoken");
const COUNTING = "Window and counting";
/** What a message costs besides its text. */
const AROUND = 4;
/** What a request costs besides its messages. */
const REQUEST = 3;
const TEXTS = ["<|endoftext|> is plain text", "👋🏽 grüezi, 世界!", "x = 1234567 * y"];
const LONGEST_TASK_MS = 50;

const expected = (encoding: "o200k_base" | "cl100k_base"): number => {
  const encoder = reference(encoding);
  const tokens = TEXTS.reduce((sum, text) => sum + encoder.encode_ordinary(text).length + AROUND, REQUEST);
  encoder.free();
  return tokens;
};

const words = (tokens: number): RegExp => new RegExp(`^${tokens.toLocaleString("en-US")} of`);
const counter = (page: Page) => page.getByLabel("Tokens are counted by");

async function open(page: Page): Promise<EpitomePage> {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(TEXTS.map((content) => ({ role: "user", content })));
  await epitome.openSettings(COUNTING);
  return epitome;
}

test("b1: tokens are counted exactly by an encoding, as chosen", async ({ page }) => {
  const epitome = await open(page);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /^~/);
  await expect(page.getByText(/^estimated, ±/)).toBeVisible();
  for (const encoding of ["o200k_base", "cl100k_base"] as const) {
    const fetched = page.waitForResponse(new RegExp(`/encodings/${encoding}\\.vocab$`));
    await counter(page).selectOption({ label: `Exactly, with ${encoding}` });
    expect((await fetched).ok()).toBe(true);
    await expect(epitome.meter).toHaveAttribute("aria-valuetext", words(expected(encoding)));
    await expect(page.getByText("counted exactly")).toBeVisible();
  }
  const before = page.url();
  await page.route("**/encodings/**", (route) => route.abort());
  await counter(page).selectOption({ label: "Exactly, with o200k_base" });
  await expect(epitome.meter, "fetched once").toHaveAttribute("aria-valuetext", words(expected("o200k_base")));
  await counter(page).selectOption("estimate");
  await expect(page.getByText(/^estimated, ±/)).toBeVisible();
  await epitome.settle({ counting: { encoding: "cl100k_base" } });
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", words(expected("cl100k_base")));
  await epitome.load(TEXTS.map((content) => ({ role: "user", content })), "again.json");
  await expect(epitome.meter, "what is loaded next").toHaveAttribute("aria-valuetext", words(expected("cl100k_base")));
  expect(page.url()).toBe(before);
  expect(epitome.errors).toEqual([]);
});

test("b1: what is estimated is counted exactly at a press beside it, if anybody but the provider can", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(TEXTS.map((content) => ({ role: "user", content })));
  const count = page.getByRole("button", { name: "Count exactly" });
  await count.press("Enter");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", words(expected("o200k_base")));
  await expect(page.getByText("counted exactly")).toBeVisible();
  await expect(count).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY");
  await epitome.settle({ counting: "estimate" });
  await expect(count).toBeVisible();
  await epitome.load([{ role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] }, { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] }], "claude.json");
  await expect(page.getByText("Anthropic Messages", { exact: false }).first()).toBeVisible();
  await expect(count).toHaveCount(0);
});

test("b1: an encoding that cannot be loaded leaves the counting unchanged, and can be chosen again", async ({ page }) => {
  const epitome = await open(page);
  await counter(page).selectOption("characters");
  const before = await epitome.meter.getAttribute("aria-valuetext");
  for (const body of [undefined, "<!doctype html>"]) {
    await page.route("**/encodings/**", (route) => (body === undefined ? route.abort() : route.fulfill({ body })));
    await counter(page).selectOption("o200k_base");
    await expect(epitome.alert).toContainText(body === undefined ? "could not be fetched" : "is not a packed vocabulary");
    await expect(epitome.alert).toContainText("o200k_base");
    await expect(counter(page)).toHaveValue("characters");
    await expect(epitome.meter).toHaveAttribute("aria-valuetext", before ?? "");
    await page.unroute("**/encodings/**");
  }
  await counter(page).selectOption("o200k_base");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", words(expected("o200k_base")));
  await expect(epitome.alert).toHaveCount(0);
  expect(epitome.errors).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds no faults with exact counts, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const epitome = await open(page);
    await counter(page).selectOption("o200k_base");
    await expect(page.getByText("counted exactly")).toBeVisible();
    expect(await epitome.faults()).toEqual([]);
    await page.screenshot({ path: `out/page-${colorScheme}-exact.png`, fullPage: true });
  });
}

const CODING = "openai/coding-pi-long-session.jsonl.gz";

test("b1: 390,000 tokens are counted again, and the page never blocks", async ({ browser }) => {
  test.skip(!isThere(CODING), `${CODING} is missing; set EPITOME_DATA to the folder of recorded conversations`);
  expect(gunzipSync(readFileSync(recorded(CODING))).length).toBeGreaterThan(1_000_000);
  await staysBelow(LONGEST_TASK_MS, browser, async (page) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.pick(recorded(CODING));
    await epitome.isLoaded();
    await epitome.openSettings(COUNTING);
    const thread = await MainThread.watch(page);
    const started = Date.now();
    await counter(page).selectOption("o200k_base");
    await page.getByText("counted exactly").waitFor();
    console.log(`    loaded and counted in ${Date.now() - started} ms`);
    await counter(page).selectOption("estimate");
    await page.getByText(/^estimated, ±/).waitFor();
    expect(epitome.errors).toEqual([]);
    return thread.longest();
  });
});
