// What is copied is what is downloaded.

import { expect, test } from "@playwright/test";
import { EpitomePage, SAMPLES } from "./page.js";

test("copied messages are the downloaded ones", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample(SAMPLES[0]);
  await epitome.compact();
  await epitome.isCompacted();
  await epitome.openExports();
  await epitome.button("Copy messages").click();
  await expect(epitome.result).toContainText("Copied to the clipboard.");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await epitome.exported());
  expect(epitome.errors).toEqual([]);
});
