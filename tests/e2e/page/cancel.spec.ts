// A cancelled compaction changes nothing.

import { expect, test } from "@playwright/test";
import { EpitomePage, scripted, SLOW } from "./page.js";

test("cancelling in the middle of a summary leaves the conversation unchanged", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open(SLOW);
  await epitome.openSample("Customer support");
  const before = await epitome.exported();
  await epitome.compact();
  const arriving = page.getByRole("region", { name: "The summary as it arrives" });
  await expect(arriving).not.toContainText("Waiting for the first words");
  await expect(page.getByRole("progressbar")).toBeVisible();
  await epitome.button("Cancel").click();
  await expect(epitome.result).toContainText("Cancelled.");
  await expect(epitome.button("Compact now")).toBeVisible();
  expect(await epitome.exported()).toBe(before);
  await expect(epitome.undo).toHaveCount(0);

  await epitome.compact();
  await epitome.isCompacted();
  expect(epitome.errors).toEqual([]);
});

test("cancelling closes the connection", async ({ page, request }) => {
  const key = `page-cancel-${Date.now()}`;
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await epitome.summarizeAt(scripted(`slow/${key}`));
  await epitome.compact();
  await expect(page.getByRole("region", { name: "The summary as it arrives" })).toContainText("word 3");
  await epitome.button("Cancel").click();
  const log = new URL(`/log?key=${key}&aborted=1`, scripted("slow"));
  expect(await (await request.get(log.href)).json()).toMatchObject({ aborted: 1, open: 0 });
});

test("opening another conversation stops the running compaction", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open(SLOW);
  await epitome.openSample("Customer support");
  await epitome.compact();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await epitome.openSample("Planning a trip");
  await expect(epitome.button("Compact now")).toBeVisible();
  await expect(epitome.result).toContainText("Nothing is compacted");
  expect(epitome.errors).toEqual([]);
});
