// All settings are in one dialog: by topic, searched, each with what it does, and with a way back to the preset.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

/** Topics with every kind of field. */
const TOPICS = ["When to compact", "Savings without a model", "The summary", "JSON and TypeScript"];
const SWITCHES: [topic: string, names: string[]][] = [
  ["When to compact", ["At request start"]],
  ["Savings without a model", ["Truncate tool results", "Clear tool inputs", "Clear tool results", "Drop oldest"]],
  ["Asking the summarizer", ["Retry if the result is too large"]],
];

test("window, threshold and summarizer are beside the conversation, and the dialog gives the focus back", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const beside = page.getByRole("region", { name: "Settings" });
  await expect(beside.getByRole("textbox")).toHaveCount(2);
  await expect(beside.getByLabel("Window of the model")).toHaveValue("8000");
  await expect(beside.getByLabel("Threshold")).toHaveValue("75");
  await expect(beside.getByRole("radio", { name: "This server" })).toBeChecked();
  await expect(beside).toContainText("Preset: Recommended.");

  const button = epitome.button("All settings");
  await button.focus();
  await page.keyboard.press("Enter");
  const search = epitome.sheet.getByRole("searchbox", { name: "Search the settings" });
  await expect(search).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(epitome.sheet).toBeHidden();
  await expect(button).toBeFocused();

  await epitome.rows.first().focus();
  await page.keyboard.press(",");
  await expect(epitome.sheet).toContainText("Compacts at 6,000 of 8,000 tokens, down to 50 %.");
  await epitome.closeSettings();
  await expect(epitome.rows.first()).toBeFocused();
});

test("a setting is found by its name or by what it does, in every topic", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSettings();
  const search = epitome.sheet.getByRole("searchbox");
  const status = epitome.sheet.getByRole("status").first();
  await search.fill("LATEST stay");
  await expect(epitome.sheet.getByLabel("User messages to keep")).toBeVisible();
  await expect(status).toHaveText(/^\d settings$/);
  await search.fill("heading");
  await expect(status).toHaveText("1 setting");
  await expect(epitome.sheet.getByRole("heading", { level: 3 })).toHaveText(["The summary"]);
  await epitome.sheet.getByLabel("Sections").selectOption("Conclusions and results, not how they came about");
  await search.fill("typescript");
  await expect(epitome.sheet.getByRole("region", { name: "Your settings as code" })).toContainText('shape: "conclusions"');
  await search.fill("cappuccino");
  await expect(status).toHaveText("No setting has these words.");
  await epitome.openSettings("What stays");
  await expect(search).toHaveValue("");
  await expect(epitome.sheet.getByRole("heading", { level: 3 })).toHaveText(["What stays"]);
});

test("a changed setting is marked, says what the preset has, and is reset with what depends on it", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const sheet = await epitome.openSettings("When to compact");
  await expect(sheet.getByText("changed")).toHaveCount(0);
  await sheet.getByLabel("Compact down to").fill("40");
  await expect(sheet.getByText("Preset: 50 %")).toBeVisible();
  await expect(sheet.getByRole("button", { name: "When to compact" })).toContainText("1 changed");
  await expect(sheet).toContainText("down to 40 %.");
  await sheet.getByRole("button", { name: "Reset “Compact down to”" }).click();
  await expect(sheet.getByLabel("Compact down to")).toHaveValue("50");
  await expect(sheet.getByLabel("Compact down to")).toBeFocused();

  await sheet.getByLabel("Compact at").selectOption("A number of messages");
  await sheet.getByLabel("Threshold", { exact: true }).fill("9");
  await expect(sheet.getByText("Preset: A share of the window")).toBeVisible();
  await sheet.getByRole("button", { name: "Reset “Compact at”" }).click();
  await expect(sheet.getByLabel("Compact at")).toBeFocused();
  await expect(sheet.getByLabel("Threshold", { exact: true })).toHaveValue("75");
  await expect(sheet.getByText("changed")).toHaveCount(0);
  await epitome.closeSettings();
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 6,000/);
  expect(epitome.errors).toEqual([]);
});

test("a wrong value is explained where it is typed, marked at its topic, and taken back", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const sheet = await epitome.openSettings("When to compact");
  const target = sheet.getByLabel("Compact down to");
  await target.fill("half");
  await expect(target).toHaveAccessibleDescription(/Compact down to is "half"; give a percentage from 0 to 100\.$/);
  await expect(target).toHaveAttribute("aria-invalid", "true");
  await epitome.openSettings("The summary");
  await expect(sheet.getByRole("button", { name: "When to compact" })).toContainText("not valid");
  await expect(sheet.getByText('Not valid: Compact down to is "half"')).toBeVisible();
  await epitome.closeSettings();
  await expect(page.getByText("These settings are not valid")).toBeVisible();
  await expect(epitome.button("Compact now")).toHaveAttribute("aria-disabled", "true");
  await epitome.openSettings("When to compact");
  await sheet.getByRole("button", { name: "Reset “Compact down to”" }).click();
  await expect(page.getByText("These settings are not valid")).toHaveCount(0);
  await expect(target).toHaveValue("50");
});

test("what differs from the preset is copied as TypeScript and as JSON", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const epitome = new EpitomePage(page);
  await epitome.open();
  const copied = async (language: string): Promise<string> => {
    await epitome.sheet.getByText(language, { exact: true }).click();
    await epitome.button(`Copy ${language}`).click();
    await expect(epitome.sheet).toContainText("Copied to the clipboard.");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const sheet = await epitome.openSettings("When to compact");
  await sheet.getByLabel("Compact down to").fill("40");
  await epitome.openSettings("JSON and TypeScript");
  expect(JSON.parse(await copied("JSON"))).toEqual({ preset: "recommended", window: 8000, target: 0.4 });
  expect(await copied("TypeScript")).toBe(`import { createCompactor, type PolicySpec } from "epitome";

const policy: PolicySpec = {
  preset: "recommended",
  window: 8000,
  target: 0.4
};

const compactor = await createCompactor({ format: "openai-chat", policy });
`);
  expect(epitome.errors).toEqual([]);
});

const LOOKS = [
  ["light", 1280],
  ["light", 320],
  ["dark", 1280],
  ["dark", 320],
  ["forced", 768],
] as const;

for (const [scheme, width] of LOOKS) {
  test(`axe finds no faults in the settings, ${scheme}, ${width} pixels wide`, async ({ page }) => {
    const forcedColors = scheme === "forced" ? "active" : "none";
    await page.emulateMedia({ colorScheme: scheme === "dark" ? "dark" : "light", forcedColors, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    const epitome = new EpitomePage(page);
    const look = async (what: string) => {
      expect(await epitome.faults(), what).toEqual([]);
      expect(await epitome.overflow(), what).toBe(0);
      expect(await epitome.sheet.evaluate((sheet) => sheet.scrollWidth - sheet.clientWidth), what).toBe(0);
      await page.screenshot({ path: `out/page-${scheme}-${width}-${what}.png` });
    };
    await epitome.open();
    for (const [topic, names] of SWITCHES) {
      await epitome.openSettings(topic);
      for (const name of names) await epitome.sheet.getByRole("checkbox", { name }).check();
    }
    await epitome.openSettings("The summary");
    await epitome.sheet.getByLabel("Written by").selectOption("own");
    for (const topic of TOPICS) {
      await epitome.openSettings(topic);
      await look(`settings-${topic.replaceAll(" ", "-").toLowerCase()}`);
    }
    await epitome.sheet.getByRole("searchbox").fill("tokens");
    await look("settings-found");
    await epitome.applyJson("{");
    await epitome.openSettings("When to compact");
    await epitome.sheet.getByLabel("Warn at").fill("much");
    await expect(epitome.sheet.getByText("Not valid: ")).toBeVisible();
    await expect(epitome.sheet.getByLabel("Warn at")).toBeInViewport();
    await look("settings-wrong");
  });
}

test("settings that are opened again before the browser has said that they were closed stay open", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSettings();
  await epitome.sheet.evaluate((element) => {
    const dialog = element as HTMLDialogElement;
    const said = new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    dialog.close();
    dialog.showModal();
    return said.then(() => undefined);
  });
  await expect(epitome.sheet.getByRole("navigation", { name: "Topics" })).toBeVisible();
  await epitome.closeSettings();
});
