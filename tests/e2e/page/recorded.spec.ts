// Recorded conversations, the longest of nearly a million tokens, on a page that never blocks.

import { expect, test } from "@playwright/test";
import { MainThread, staysBelow } from "./main-thread.js";
import { breaches, EpitomePage, isThere, type Message, recorded, SLOW } from "./page.js";

const absent = (name: string) => `${name} is missing; set EPITOME_DATA to the folder of recorded conversations`;
const LONGEST_TASK_MS = 50;

const TOOLS = "openai/tool-chat-tau2-airline.jsonl.gz";
const CODING = "openai/coding-pi-long-session.jsonl.gz";
const CONVERSATIONS = [
  { name: "a tool-calling conversation out of a file of many", file: TOOLS, choice: 0 },
  { name: "a coding session of 390,000 tokens", file: CODING, choice: undefined },
];

async function load(epitome: EpitomePage, file: string, choice: number | undefined): Promise<void> {
  await epitome.pick(recorded(file));
  if (choice !== undefined) await epitome.choose(choice);
  await epitome.isLoaded();
  await expect.poll(() => epitome.loadTime()).toBeLessThan(1_000);
}

function lastRequest(messages: Message[]): Message | undefined {
  return messages.filter(({ role, content }) => role === "user" && String(content).trim() !== "").at(-1);
}

for (const { name, file, choice } of CONVERSATIONS) {
  for (const summarizer of ["here", "in the page"] as const) {
    test(`${name}, summarized ${summarizer}`, async ({ browser }) => {
      test.skip(!isThere(file), absent(file));
      await staysBelow(LONGEST_TASK_MS, browser, async (page) => {
        const epitome = new EpitomePage(page);
        await epitome.open();
        await load(epitome, file, choice);
        const thread = await MainThread.watch(page);
        const before = await epitome.exported();
        await (summarizer === "here" ? epitome.summarizeHere() : epitome.summarizeInPage());
        await epitome.tighten();
        await epitome.compact();
        await epitome.isCompacted();
        await epitome.rows.first().press("End");
        await expect(epitome.meter).not.toHaveAttribute("aria-valuetext", /time to compact/);

        const originals = JSON.parse(before) as Message[];
        expect(before, "written in pieces, as if at once").toBe(JSON.stringify(originals, null, 2));
        const compacted = await epitome.messages();
        expect(breaches(compacted)).toEqual([]);
        if (originals[0]?.role === "system") expect(compacted[0]).toEqual(originals[0]);
        expect(compacted).toContainEqual(lastRequest(originals));
        await epitome.undo.click();
        await epitome.isUndone();
        expect(await epitome.exported()).toBe(before);
        expect(epitome.errors).toEqual([]);
        return thread.longest();
      });
    });
  }

  test(`${name}, cancelled in the middle of a summary`, async ({ page }) => {
    test.skip(!isThere(file), absent(file));
    const epitome = new EpitomePage(page);
    await epitome.open(SLOW);
    await load(epitome, file, choice);
    await epitome.tighten();
    const before = await epitome.exported();
    await epitome.compact();
    const arriving = page.getByRole("region", { name: "The summary as it arrives" });
    await expect(arriving).not.toContainText("Waiting for the first words");
    await epitome.button("Cancel").click();
    await expect(epitome.result).toContainText("Cancelled.");
    expect(await epitome.exported()).toBe(before);
    expect(epitome.errors).toEqual([]);
  });
}

test("the long sample is opened, summarized in the page and undone, and the page never blocks", async ({ browser }) => {
  await staysBelow(LONGEST_TASK_MS, browser, async (page) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    const thread = await MainThread.watch(page);
    await epitome.openSample("A long coding session");
    await expect.poll(() => epitome.loadTime()).toBeLessThan(1_000);
    await epitome.summarizeInPage();
    await epitome.compact();
    await epitome.isCompacted();
    await epitome.undo.click();
    await epitome.isUndone();
    expect(epitome.errors).toEqual([]);
    return thread.longest();
  });
});

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

test("964,000 tokens are read, stored and compacted in the page, which never blocks", async ({ browser }) => {
  test.skip(!isThere(LONGEST), absent(LONGEST));
  await staysBelow(LONGEST_TASK_MS, browser, async (page) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    const thread = await MainThread.watch(page);
    await load(epitome, LONGEST, undefined);
    await epitome.isStored();
    const before = await epitome.exported();
    await epitome.summarizeInPage();
    await epitome.tighten();
    await epitome.compact();
    await epitome.isCompacted();
    expect(breaches(await epitome.messages())).toEqual([]);
    await epitome.undo.click();
    await epitome.isUndone();
    expect(await epitome.exported()).toBe(before);
    expect(epitome.errors).toEqual([]);
    return thread.longest();
  });
});
