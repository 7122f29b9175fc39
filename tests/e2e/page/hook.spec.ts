// A hook may ask the user before a summary is written.

import { expect, test } from "@playwright/test";
import { EpitomePage, toolLoop } from "./page.js";

test("g4: skipping leaves the conversation unchanged, proceeding compacts it", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const asked: string[] = [];
  page.on("request", (request) => request.url().endsWith("/chat/completions") && asked.push(request.url()));
  await epitome.open();
  await epitome.openSample("Customer support");
  const before = await epitome.exported();
  await page.getByLabel("Ask before summarizing").check();
  const question = page.getByRole("group", { name: "Before the summary" });
  await epitome.compact();
  await expect(question).toContainText("Forcedyes");
  await expect(question).toContainText("Messages113");
  await expect(question).toContainText(/Keep last\d\d/);
  await expect(question).toContainText("Of the window86 %");
  await expect(epitome.button("Continue")).toBeFocused();
  expect(await epitome.faults()).toEqual([]);
  await epitome.button("Skip").click();
  await expect(question).toHaveCount(0);
  await expect(epitome.alert).toContainText("Nothing was changed.");
  await expect(epitome.alert).toContainText("decided against it");
  await expect(epitome.undo).toHaveCount(0);
  expect(await epitome.exported()).toBe(before);
  expect(asked).toEqual([]);

  await epitome.compactFor("Threshold");
  await expect(question).toContainText("Forcedno");
  await expect(epitome.button("Continue")).toBeFocused();
  await page.keyboard.press("Enter");
  await epitome.isCompacted();
  expect(asked).toHaveLength(1);
  const events = await epitome.events();
  expect(events.join("\n")).toMatch(/After the compaction: applied, 113 → \d+ messages, a summary of [\d,]+ characters/);
});

test("g4: the user is not asked if only reducers work", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(toolLoop(12, { resultWords: 400 }));
  await epitome.settle({ window: 20_000, preset: "team-none", reducers: [{ reducer: { truncateToolResults: { steps: [{ fromMessages: 3, maxTokens: 50 }] } } }] });
  await page.getByLabel("Ask before summarizing").check();
  await epitome.compact();
  await epitome.isCompacted();
  expect((await epitome.events()).filter((event) => /^(Before|After) the compaction/.test(event))).toEqual([]);
});
