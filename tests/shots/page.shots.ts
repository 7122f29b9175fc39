// The states of the page, at four widths, light and dark.

import { test } from "@playwright/test";
import { EpitomePage, scripted, SLOW } from "../e2e/page/page.js";

const SIZES = [
  [360, 740],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const;

for (const colorScheme of ["light", "dark"] as const) {
  for (const [width, height] of SIZES) {
    test(`${width} pixels wide, ${colorScheme}`, async ({ page }) => {
      test.setTimeout(180_000);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height });
      const epitome = new EpitomePage(page);
      const picture = async (state: string, fullPage = false) => {
        await page.screenshot({ path: `../target/shots/${state}-${width}-${colorScheme}.png`, fullPage });
      };
      await epitome.open(SLOW);
      await picture("first");
      await picture("first-full", true);
      await page.getByRole("slider", { name: "Last of the chosen messages" }).focus();
      for (let pages = 0; pages < 5; pages += 1) await page.keyboard.press("PageDown");
      await page.getByRole("slider", { name: "First of the chosen messages" }).press("PageUp");
      await epitome.button("Compact up to here").click();
      await epitome.button("Exempt once").click();
      await picture("chosen");
      await page.getByRole("button", { name: "Leave it to the settings" }).click();
      await page.getByLabel("Let me read and change the summary first").check();
      await epitome.compact();
      await page.getByRole("region", { name: "The summary as it arrives" }).waitFor();
      await picture("running");
      const draft = page.getByLabel("The summary, which you can change");
      await draft.waitFor();
      await draft.fill(`${await draft.inputValue()} The refund has the number RF-90817.`);
      await page.getByText("In no message: RF-90817").waitFor();
      await picture("draft");
      await epitome.button("As it was written").click();
      await epitome.button("Use this summary").click();
      await page.getByLabel("Let me read and change the summary first").uncheck();
      await epitome.isCompacted();
      await picture("compacted");
      await picture("compacted-full", true);
      await epitome.button("Diff of the compaction").click();
      await picture("diff");
      await page.keyboard.press("Escape");
      await epitome.rows.nth(3).click();
      await picture("message");
      await page.keyboard.press("Escape");
      for (const topic of ["When to compact", "Savings without a model", "JSON and TypeScript"]) {
        await epitome.openSettings(topic);
        await picture(`settings-${topic.replaceAll(" ", "-").toLowerCase()}`);
      }
      await epitome.openSettings("When to compact");
      await epitome.sheet.getByLabel("Compact down to").fill("40");
      await epitome.sheet.getByLabel("Warn at").fill("much");
      await picture("settings-changed");
      await epitome.sheet.getByLabel("Warn at").fill("");
      await epitome.sheet.getByRole("searchbox").fill("tool results");
      await picture("settings-found");
      await epitome.closeSettings();
      await page.keyboard.press("?");
      await picture("keys");
      await page.keyboard.press("Escape");
      await page.keyboard.press("/");
      await page.keyboard.type("When was the machine delivered?");
      await page.getByRole("heading", { name: "Best matches" }).waitFor();
      await picture("search");
      await page.getByRole("searchbox").fill("");
      const said = page.getByRole("region", { name: "Live chat" }).getByRole("textbox", { name: "Message", exact: true });
      await said.fill("Which order is it about?");
      await said.press("Enter");
      await page.getByRole("button", { name: "Answer again" }).first().waitFor();
      await picture("chat");
      await page.getByRole("link", { name: "Doctor" }).click();
      await page.getByRole("button", { name: "A result without its call" }).click();
      await picture("doctor");
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Lab" }).click();
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("table", { name: "Strategies compared" }).waitFor();
      await picture("lab");
      await page.keyboard.press("Escape");
      await epitome.openSample("A design review");
      await picture("agents-full", true);
      await epitome.openSample("A long coding session");
      await picture("long-full", true);
      await epitome.compact();
      await epitome.isCompacted();
      await picture("long-compacted");
      await epitome.openSample("A flat in pictures");
      await picture("pictures-full", true);
      await epitome.rows.first().click();
      await epitome.details.getByRole("img").first().waitFor();
      await picture("pictures-message");
      await page.keyboard.press("Escape");
      await epitome.openSample("Planning a trip");
      await epitome.summarizeAt(scripted("401"));
      await epitome.compact();
      await epitome.alert.first().waitFor();
      await picture("failed");
      for (const language of ["he", "zh"]) {
        await page.goto(`/${language}.html`);
        await epitome.isSettled();
        await picture(`${language}-full`, true);
      }
    });
  }
}
