// The summarizer's input, and the placement of its summary.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("d10: open tasks are in the messages for the model, word for word", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const tasks = "- [ ] refund 35 euros\n- [x] send the seat “LK2-SEAT-04”";
  await epitome.openTasks(tasks);
  await epitome.compact();
  await epitome.isCompacted();
  const summary = (await epitome.messages()).map(({ content }) => String(content)).find((content) => content.includes("<conversation-summary"));
  expect(summary).toContain(tasks);
  await epitome.openSample("Planning a trip");
  await epitome.unfold("Open tasks");
  await expect(page.getByRole("textbox", { name: "Open tasks" })).toHaveValue("");
});

test("d13: instructions reach the summarizer", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await page.getByLabel("Pay attention to").fill("the crack in the tank");
  const asked = page.waitForRequest((request) => request.url().endsWith("/v1/chat/completions"));
  await epitome.compact();
  expect((await asked).postData()).toContain("the crack in the tank");
  await epitome.isCompacted();
});

test("d12: the summary is placed as the settings say", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const roles: [way: string, roles: RegExp][] = [
    ["A leading system message", /^system,(user,)*system,/],
    ["System prompt and one message", /^system,user$/],
    ["In place of the summarized messages", /^system,(user,)+/],
  ];
  for (const [way, expected] of roles) {
    await (await epitome.openSettings("The summary")).getByLabel("Summary placement").selectOption(way);
    await epitome.closeSettings();
    await epitome.compact();
    await epitome.isCompacted();
    const messages = await epitome.messages();
    expect(messages.map(({ role }) => role).join(), way).toMatch(expected);
    await epitome.undo.click();
    await expect(epitome.undo).toHaveCount(0);
  }
});

test("g5: a result is shown in tokens, in percent, and by its session", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await epitome.compact();
  await epitome.isCompacted();
  await expect(epitome.result).toContainText(/6,917\s*→\s*3,\d{3}\s*tokens\s*−4\d %/);
  await expect(epitome.result).toContainText(/became the summary · \d+ requests? · .* · still a legal request · \d+ % of the window used · session 2/);
  const events = (await epitome.events()).join("\n");
  expect(events).toContain("Compacting: 6,917 tokens (86 %), threshold 6,000.");
  expect(events).toMatch(/Done: 6,917 → 3,\d{3} tokens \(−4\d %\)\./);
});
