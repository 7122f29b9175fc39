// The list of messages and the settings around it.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("a pinned message survives, word for word", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  const before = await epitome.messages();
  // An answer, since the user's messages stay anyway.
  const pinned = epitome.rows.filter({ hasText: /^13assistant/ });
  await expect(pinned).toContainText("summarize");
  await pinned.click();
  await epitome.details.getByRole("button", { name: "Pin" }).click();
  await expect(epitome.details.getByRole("button", { name: "Unpin" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(pinned).toContainText("pinnedkeep");
  await epitome.compact();
  await epitome.isCompacted();
  expect(await epitome.messages()).toContainEqual(before[12]);
  const summarized = epitome.rows.filter({ hasText: /^11assistant/ });
  await expect(summarized).toContainText("summarized");
  await summarized.click();
  await expect(epitome.details).toContainText("Undo it to change the pin");
});

test("the messages for the model have the summary between the kept messages", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByText("What the model sees", { exact: true }).click();
  await expect(epitome.rows.nth(0)).toContainText("system");
  await epitome.rows.filter({ hasText: /summary$/ }).click();
  await expect(epitome.details).toContainText("<conversation-summary");
});

test("a hundred thousand messages are shown with a few rows", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const messages = Array.from({ length: 100_000 }, (_, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content: `number ${index + 1}` }));
  await epitome.pick({ name: "many.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(messages)) });
  await epitome.isLoaded("many.json");
  expect(await epitome.rows.count()).toBeLessThan(60);
  await epitome.rows.first().press("End");
  await expect(epitome.rows.last()).toContainText("number 100000");
  await epitome.rows.last().press("Home");
  await expect(epitome.rows.first()).toBeFocused();
  await expect(page.locator("[aria-posinset='1']")).toHaveAttribute("aria-setsize", "100000");
});

test("an invalid setting is explained at its field", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  const window = page.getByLabel("Window of the model");
  await window.fill("0");
  await expect(window).toHaveAttribute("aria-invalid", "true");
  await expect(window).toHaveAccessibleDescription(/is 0; give the model's context size/);
  await expect(epitome.button("Compact now")).toHaveAttribute("aria-disabled", "true");
  await window.fill("64,000");
  await expect(window).toHaveAttribute("aria-invalid", "false");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 64,000 tokens .*compacts at 48,000; space left/);
  await (await epitome.openSettings()).getByLabel("Compact at").selectOption("A number of tokens");
  await epitome.closeSettings();
  await page.getByLabel("Threshold").fill("70000");
  await expect(page.getByLabel("Threshold")).toHaveAccessibleDescription(/above the window of 64000/);
});
