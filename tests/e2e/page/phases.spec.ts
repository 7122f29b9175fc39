// Which compaction is due at each phase of an app's request loop, and what it does.

import { expect, test } from "@playwright/test";
import { breaches, EpitomePage, toolLoop } from "./page.js";

test("b9: in the tool loop, a large prompt has the oldest rounds summarized", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const messages = toolLoop(10);
  await epitome.load(messages);
  await epitome.settle({ preset: "request", window: 200_000 });
  await epitome.unfold("What is due at");
  await expect(epitome.due("Tool loop")).toContainText("nothing due");
  await expect(epitome.due("Overflow")).toContainText("due: tool loop, full");
  await epitome.readUsage(172_000, 500);
  await expect(epitome.due("Tool loop")).toContainText("due: tool loop, micro");
  await epitome.check("tool loop");
  await epitome.isCompacted();
  const after = await epitome.messages();
  expect(breaches(after)).toEqual([]);
  expect(after.filter(({ role }) => role === "tool")).toHaveLength(8);
  expect(after.slice(-17)).toEqual(messages.slice(-17));
  const events = (await epitome.events()).join("\n");
  expect(events).toContain("Reacting in the loop: ");
  expect(events).toContain("tool loop, micro");
});

test("b8: a request that begins with a long history has it compacted", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings("When to compact");
  await sheet.getByRole("checkbox", { name: "At request start" }).check();
  await sheet.getByLabel("Compact at").selectOption("Never automatically");
  await sheet.getByLabel("History above").fill("5000");
  await epitome.closeSettings();
  await epitome.unfold("What is due at");
  await expect(epitome.due("Turn end")).toContainText("nothing due");
  await expect(epitome.due("Request start")).toContainText("due: request start");
  await epitome.check("request start");
  await epitome.isCompacted();
});

test("b6: a warning comes once until the next compaction", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings("When to compact");
  await sheet.getByLabel("Compact at").selectOption("A number of tokens");
  await sheet.getByLabel("Threshold").fill("7900");
  await sheet.getByRole("checkbox", { name: "In the tool loop" }).uncheck();
  await sheet.getByLabel("Warn at").fill("50");
  await epitome.closeSettings();
  const warning = page.getByText(/of the window; compacts at 7,900\.$/);
  await expect(warning).toHaveCount(0);
  await epitome.check("turn end");
  await expect(warning).toContainText("The window is filling up. 6,917 tokens, 86 % of the window");
  await epitome.check("turn end");
  expect((await epitome.events()).filter((event) => event.startsWith("Warning"))).toHaveLength(1);
  await epitome.compact();
  await epitome.isCompacted();
  await expect(warning).toHaveCount(0);
});

test("b11: reports of usage add up", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await epitome.unfold("What is due at");
  await page.getByLabel("Duration", { exact: true }).fill("2000");
  await epitome.readUsage(5_000, 100);
  await epitome.readUsage(5_200, 80);
  const usage = page.getByLabel("Usage", { exact: true });
  for (const fact of ["Last prompt5,200", "Last completion80", "Context5,280", "All prompts10,200", "All completions180", "Tokens per second40.0"]) {
    await expect(usage).toContainText(fact);
  }
  // The conversation ends with a request, whose answer is not there yet: the report holds for the prompt.
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /^5,200 of 8,000/);
});

test("d7: a result that is too large is tried with less, and reported", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  // The overhead of every request alone is above the threshold.
  await epitome.settle({ window: 8_000, triggers: [{ tokens: 5_000 }], keep: { messages: 10 }, toolSchemaTokens: 5_200 });
  const sheet = await epitome.openSettings("Asking the summarizer");
  await sheet.getByRole("checkbox", { name: "Retry if the result is too large" }).check();
  await sheet.getByLabel("Fallback levels").fill("100, 0");
  await epitome.closeSettings();
  await epitome.compact();
  await epitome.isCompacted();
  const events = (await epitome.events()).join("\n");
  expect(events).toContain("The result is too large; trying with shorter tool results (100 characters).");
  expect(events).toMatch(/shorter tool results \(0 characters\), and a tail of \d+ messages/);
  await expect(epitome.result).toContainText("Too large. The conversation is still too large");
  await expect(epitome.result).toContainText("begin a new session");
});
