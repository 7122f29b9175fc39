// The compactions of a conversation: where they stand, what each one changed, and how they are taken back.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("the result is one line, and its diff shows each fact where it was said", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await expect(epitome.result).toContainText("still a legal request");
  await epitome.button("Diff of the compaction").click();
  const diff = page.getByRole("dialog", { name: "Compaction 1" });
  await expect(diff).toContainText(/\d+ messages became the summary/);
  await expect(diff.getByRole("region", { name: "Before" })).toContainText("#2");
  await expect(diff.getByRole("region", { name: "After" })).toContainText("BW-");
  await expect(diff.getByRole("region", { name: "Before" }).locator("mark").first()).toBeVisible();
  expect(await epitome.faults()).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(diff).toBeHidden();
  await expect(epitome.button("Diff of the compaction")).toBeFocused();
});

test("a divider stands where each compaction ends, and an undo of the first takes both back", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const before = await epitome.exported();
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByLabel("Window of the model").fill("4000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /time to compact/);
  await epitome.compact();
  const compactions = page.getByRole("list", { name: "Compactions" }).getByRole("listitem");
  await expect(compactions).toHaveCount(2);
  await expect(compactions.first()).toContainText("→");

  // The first divider is far down the list of 113 messages.
  await epitome.rows.first().press("End");
  for (let pages = 0; pages < 12 && (await epitome.dividers.count()) === 0; pages += 1) await page.keyboard.press("PageUp");
  await expect(epitome.dividers.last()).toBeVisible();
  await epitome.dividers.last().click();
  await expect(page.getByRole("dialog", { name: "Compaction 2" })).toContainText("earlier summary");
  await page.keyboard.press("Escape");
  await expect(epitome.dividers.last()).toBeFocused();

  await epitome.dividers.last().click();
  await page.getByRole("dialog", { name: "Compaction 2" }).getByRole("button", { name: "Undo compaction 2" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(compactions).toHaveCount(1);
  await expect(epitome.button("Compact now")).toBeFocused();

  await epitome.button("Undo compaction 1").click();
  await expect(compactions).toHaveCount(0);
  await expect(epitome.dividers).toHaveCount(0);
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  expect(await epitome.exported()).toBe(before);
  expect(epitome.errors).toEqual([]);
});

test("a shortened message is shown as it was and as it is", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A coding session");
  const truncate = { truncateToolResults: { steps: [{ fromMessages: 3, maxTokens: 60 }] } };
  await epitome.settle({ preset: "team-none", window: 12_000, target: 0.1, reducers: [{ reducer: truncate, when: "always" }] });
  await epitome.compactFor("Reducers only");
  await epitome.isCompacted();
  await epitome.button("Diff of the compaction").click();
  const diff = page.getByRole("dialog", { name: "Compaction 1" });
  await expect(diff).toContainText(/messages? (is|are) shorter/);
  await expect(diff).toContainText("now");
  expect(await epitome.faults()).toEqual([]);
});

test("the picture of what was done is copied from the result", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await epitome.button("Share as a picture").click();
  await expect(epitome.result).toContainText("The picture is copied.");
});
