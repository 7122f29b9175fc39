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

test("on a phone, the menus of the result are on the screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await epitome.openExports();
  const box = await epitome.button("Copy messages").boundingBox();
  expect(box?.x).toBeGreaterThan(0);
  expect((box?.x ?? 0) + (box?.width ?? 390)).toBeLessThan(390);
});
