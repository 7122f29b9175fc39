// Recorded conversations, the longest of nearly a million tokens, in a page that never hangs.

import { expect, test } from "@playwright/test";
import { breaches, EpitomePage, isThere, recorded } from "./page.js";

const absent = (name: string) => `${name} is not there; set EPITOME_DATA to the folder of recorded conversations`;
const LONGEST_TASK_MS = 50;

const TOOLS = "openai/tool-chat-tau2-airline.jsonl.gz";
test("a tool-calling conversation out of a file of many", async ({ page }) => {
  test.skip(!isThere(TOOLS), absent(TOOLS));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.pick(recorded(TOOLS));
  await expect(page.getByText(/The file holds \d+ conversations/)).toBeVisible();
  await page.getByLabel(/The file holds/).selectOption({ index: 3 });
  await epitome.button("Open this one").click();
  await epitome.isLoaded();
  const before = await epitome.exported();
  await epitome.tighten();
  await epitome.compact();
  await epitome.isCompacted();
  expect(breaches(await epitome.messages())).toEqual([]);
  await epitome.undo.click();
  expect(await epitome.exported()).toBe(before);
  expect(epitome.errors).toEqual([]);
});

const CODING = "openai/coding-pi-long-session.jsonl.gz";
for (const summarizer of ["here", "in the page"] as const) {
  test(`a coding session of 390,000 tokens, summarized ${summarizer}`, async ({ page }) => {
    test.skip(!isThere(CODING), absent(CODING));
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.pick(recorded(CODING));
    await epitome.isLoaded();
    await expect.poll(() => epitome.loadTime()).toBeLessThan(1_000);
    await epitome.watchLongTasks();
    await (summarizer === "here" ? epitome.summarizeHere() : epitome.summarizeInPage());
    await epitome.tighten();
    await epitome.compact();
    await epitome.isCompacted();
    await epitome.rows.first().press("End");
    await epitome.undo.click();
    await expect(epitome.undo).toHaveCount(0);
    const tasks = await epitome.longTasks();
    expect(tasks.filter((duration) => duration > LONGEST_TASK_MS)).toEqual([]);
    expect(epitome.errors).toEqual([]);
  });
}

const LONGEST = "openai/long-aider-1M.jsonl.gz";
test("4,371 messages of 964,000 tokens are read in a second and fit 32 MB", async ({ page }) => {
  test.skip(!isThere(LONGEST), absent(LONGEST));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.pick(recorded(LONGEST));
  await epitome.isLoaded();
  await expect.poll(() => epitome.loadTime()).toBeLessThan(1_000);
  expect(await epitome.memory()).toBeLessThan(32 * 1_048_576);
  expect(await epitome.rows.count()).toBeLessThan(60);
  await epitome.rows.first().press("End");
  await expect(epitome.rows.last()).toContainText("4,371");
  await expect(epitome.rows.last()).toBeFocused();
});
