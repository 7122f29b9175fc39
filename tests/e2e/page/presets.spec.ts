// Presets fill the form, change the plan, and set what they need.

import { expect, test } from "@playwright/test";
import { EpitomePage, MORE_SETTINGS } from "./page.js";

test("b7: a preset fills the form and changes what a compaction would do", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const plan = page.getByRole("list", { name: "Planned actions" });
  await expect(plan).toContainText(/the last [2-9]\d as the tail/);
  await epitome.choosePreset("Team, aggressive");
  await expect(page.getByLabel("Compact at")).toHaveValue("messages");
  await expect(page.getByLabel("Threshold")).toHaveValue("7");
  await expect(page.getByLabel("Tail")).toHaveValue("5");
  await expect(plan).toContainText(/the last [56] as the tail/);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /time to compact/);
  await epitome.choosePreset("Team, careful");
  await expect(page.getByLabel("Threshold")).toHaveValue("27");
  await expect(page.getByLabel("Tail")).toHaveValue("25");
  await epitome.choosePreset("Recommended");
  await expect(page.getByLabel("Threshold")).toHaveValue("75");
  await expect(plan).toContainText(/the last [2-9]\d as the tail/);
  expect(epitome.errors).toEqual([]);
});

test("b15: every preset works in the window that is set", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await epitome.unfold(MORE_SETTINGS);
  const labels = await page.getByLabel("Preset").getByRole("option").allTextContents();
  expect(labels).toHaveLength(10);
  for (const label of labels) {
    await epitome.choosePreset(label);
    await expect(page.getByText("These settings are not valid")).toHaveCount(0);
    await expect(page.getByLabel("Preset")).toHaveAccessibleDescription(/\w{4}/);
  }
  await epitome.choosePreset("Workstream runtime");
  await expect(page.getByLabel("Checked at")).toHaveValue("turnEnd");
  await page.getByLabel("Window of the model").fill("8000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 5,600/);
  await page.getByLabel("Window of the model").fill("200000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 140,000/);
});

test("changing a field leaves a preset, which can be chosen again", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await page.getByLabel("Compact down to").fill("40");
  await epitome.unfold(MORE_SETTINGS);
  await page.getByLabel("Measured in").selectOption("rounds");
  await expect(page.getByText("2 settings differ from it: target, keep")).toBeVisible();
  await epitome.button("Back to the preset").click();
  await expect(page.getByLabel("Compact down to")).toHaveValue("50");
  await expect(page.getByLabel("Measured in")).toHaveValue("share");
});

test("b1: tokens are counted by characters or a heuristic, as chosen", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const heuristic = await epitome.meter.getAttribute("aria-valuetext");
  await epitome.unfold("Token counting and retries");
  await page.getByLabel("Tokens are counted by").selectOption("characters");
  await page.getByLabel("One token is").fill("3");
  await expect(epitome.meter).not.toHaveAttribute("aria-valuetext", heuristic ?? "");
  await expect(page.getByText("estimated, ±60 %")).toBeVisible();
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByLabel("Tokens are counted by").selectOption("estimate");
  await expect(page.getByText("estimated, ±")).toBeVisible();
  await expect(epitome.undo).toBeVisible();
  expect(epitome.errors).toEqual([]);
});
