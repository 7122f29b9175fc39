// The summary before it is used: read, changed, and checked while it is changed.

import { expect, test } from "@playwright/test";
import { EpitomePage, scripted } from "./page.js";

test("a summary is read and changed before it is used, and what is in no message is said at once", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.getByLabel("Let me read and change the summary first").check();
  await epitome.summarizeAt(scripted("ok"));
  await epitome.compact();
  const field = page.getByLabel("The summary, which you can change");
  await expect(field).toBeFocused();
  await expect(field).toBeInViewport();
  await expect(page.getByText("The summary waits for you.")).toBeVisible();
  await field.fill("They agreed on order BW-48213, and on a refund by RF-90817.");
  await expect(page.getByText("In no message: RF-90817")).toBeVisible();
  expect(await epitome.faults()).toEqual([]);
  await field.fill("They agreed on order BW-48213.");
  await expect(page.getByText(/^In no message/)).toBeHidden();
  await epitome.button("Use this summary").click();
  await epitome.isCompacted();
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  expect(JSON.stringify(await epitome.messages())).toContain("They agreed on order BW-48213.");
  await epitome.undo.click();
  await epitome.isUndone();
  expect(epitome.errors).toEqual([]);
});

test("a summary can be taken as it was written, and a cancel leaves the conversation as it was", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const before = await epitome.exported();
  await page.getByLabel("Let me read and change the summary first").check();
  await epitome.compact();
  const field = page.getByLabel("The summary, which you can change");
  await expect(field).toBeFocused();
  const written = await field.inputValue();
  expect(written.length).toBeGreaterThan(100);
  await expect(epitome.button("As it was written")).toBeDisabled();
  await field.fill("Something else.");
  await epitome.button("As it was written").click();
  await expect(field).toHaveValue(written);
  await expect(field).toBeFocused();
  await page.getByRole("group", { name: "The summary before it is used" }).getByRole("button", { name: "Cancel" }).click();
  await expect(field).toBeHidden();
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  expect(await epitome.exported()).toBe(before);

  await epitome.compact();
  await expect(field).toHaveValue(written);
  await epitome.button("Use this summary").click();
  await epitome.isCompacted();
  expect(JSON.stringify(await epitome.messages())).toContain(JSON.stringify(written).slice(1, 60));
  expect(epitome.errors).toEqual([]);
});
