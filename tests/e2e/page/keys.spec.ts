// What is done most has a key of one letter, and the keys can be turned off.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("a sample is opened, compacted, compared and taken back with five keys, and something always has the focus", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.keyboard.press("2");
  await epitome.isLoaded("A coding session");
  await page.keyboard.press("c");
  await epitome.isCompacted();
  await expect(epitome.undo).toBeInViewport();
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await page.keyboard.press("d");
  await expect(page.getByRole("dialog", { name: "Compaction 1" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await page.keyboard.press("u");
  await expect(epitome.undo).toHaveCount(0);
  await expect(epitome.button("Compact now")).toBeFocused();
  expect(epitome.errors).toEqual([]);
});

test("a message is found and pinned by keys", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox", { name: "Search the messages" });
  await expect(search).toBeFocused();
  await page.keyboard.type("view of the river");
  await expect(page.getByText(/^\d+ messages?$/)).toBeVisible();
  const found = await epitome.rows.count();
  expect(found).toBeGreaterThan(0);
  const row = epitome.rows.filter({ hasText: "assistant" }).first();
  await row.focus();
  await page.keyboard.press("p");
  await expect(row).toContainText("pinned");
  await expect(row).toBeFocused();
  await page.keyboard.press("p");
  await expect(row).not.toContainText("pinned");
});

test("letters in a field are text, and the keys can be turned off for good", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const focus = page.getByLabel("Pay attention to");
  await focus.fill("");
  await focus.pressSequentially("cu/?1");
  await expect(focus).toHaveValue("cu/?1");
  await expect(epitome.undo).toHaveCount(0);
  await epitome.rows.first().focus();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keys" });
  await expect(sheet).toContainText("Undo the latest compaction");
  expect(await epitome.faults()).toEqual([]);
  await sheet.getByLabel("Keys without Ctrl or Alt").uncheck();
  await page.keyboard.press("Escape");
  await expect(epitome.rows.first()).toBeFocused();
  await page.reload();
  await epitome.isLoaded("Customer support");
  await page.keyboard.press("2");
  await page.keyboard.press("?");
  await expect(sheet.getByLabel("Keys without Ctrl or Alt")).not.toBeChecked();
  await expect(page.getByRole("heading", { level: 2, name: "Customer support" })).toBeAttached();
});

test("each sample has a key", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const samples = page.getByRole("list", { name: "Samples" }).getByRole("button");
  await expect(samples).toHaveCount(6);
  for (const [index, name] of (await samples.allTextContents()).entries()) {
    await page.keyboard.press(String(index + 1));
    await epitome.isLoaded(name);
    await expect(epitome.button(name)).toHaveAttribute("aria-pressed", "true");
  }
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toContainText("Open the sixth sample");
  expect(epitome.errors).toEqual([]);
});
