// Presets fill the form, change the plan, and set what they need.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("b7: a preset fills the form and changes what a compaction would do", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const plan = page.getByRole("list", { name: "Planned actions" });
  await expect(plan).toContainText(/the last [2-9]\d as the tail/);
  await epitome.choosePreset("Team, aggressive");
  await expect(page.getByLabel("Threshold")).toHaveValue("7");
  await expect(page.getByLabel("Threshold")).toHaveAccessibleDescription(/^messages /);
  await expect((await epitome.openSettings("What stays")).getByLabel("Keep at the end")).toHaveValue("5");
  await epitome.closeSettings();
  await expect(plan).toContainText(/the last [56] as the tail/);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /time to compact/);
  await epitome.choosePreset("Team, careful");
  await expect(page.getByLabel("Threshold")).toHaveValue("27");
  await expect((await epitome.openSettings("What stays")).getByLabel("Keep at the end")).toHaveValue("25");
  await epitome.closeSettings();
  await epitome.choosePreset("Recommended");
  await expect(page.getByLabel("Threshold")).toHaveValue("75");
  await expect(plan).toContainText(/the last [2-9]\d as the tail/);
  expect(epitome.errors).toEqual([]);
});

test("b15: every preset works in the window that is set", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings();
  const preset = sheet.getByLabel("Preset");
  const labels = await preset.getByRole("option").allTextContents();
  expect(labels).toHaveLength(10);
  for (const label of labels) {
    await preset.selectOption(label);
    await expect(page.getByText("These settings are not valid")).toHaveCount(0);
    await expect(preset).toHaveAccessibleDescription(/\w{4}/);
  }
  await preset.selectOption("Workstream runtime");
  await expect(sheet.getByLabel("Checked at")).toHaveValue("turnEnd");
  await epitome.closeSettings();
  await page.getByLabel("Window of the model").fill("8000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 5,600/);
  await page.getByLabel("Window of the model").fill("200000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 140,000/);
});

test("changing a field leaves a preset, which can be chosen again", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings("When to compact");
  await sheet.getByLabel("Compact down to").fill("40");
  await epitome.openSettings("What stays");
  await sheet.getByLabel("Measured in").selectOption("rounds");
  await expect(sheet.getByText("Your settings differ from it.")).toBeVisible();
  await epitome.button("Back to the preset").click();
  await expect(sheet.getByLabel("Preset")).toBeFocused();
  await expect(sheet.getByLabel("Measured in")).toHaveValue("share");
  await epitome.openSettings("When to compact");
  await expect(sheet.getByLabel("Compact down to")).toHaveValue("50");
});

test("b1: tokens are counted by characters or a heuristic, as chosen", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const heuristic = await epitome.meter.getAttribute("aria-valuetext");
  const sheet = await epitome.openSettings("Window and counting");
  await sheet.getByLabel("Tokens are counted by").selectOption("characters");
  await sheet.getByLabel("One token is").fill("3");
  await expect(epitome.meter).not.toHaveAttribute("aria-valuetext", heuristic ?? "");
  await expect(page.getByText("estimated, ±60 %")).toBeVisible();
  await epitome.closeSettings();
  await epitome.compact();
  await epitome.isCompacted();
  await (await epitome.openSettings("Window and counting")).getByLabel("Tokens are counted by").selectOption("estimate");
  await expect(page.getByText("estimated, ±")).toBeVisible();
  await expect(epitome.undo).toBeVisible();
  expect(epitome.errors).toEqual([]);
});
