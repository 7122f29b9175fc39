// All settings are accessible: axe finds no faults with all of them open, at any width, in light and dark.

import { expect, test } from "@playwright/test";
import { EpitomePage, toolLoop } from "./page.js";

const SECTIONS = ["Requests and the tool loop", "Reducers: save tokens without a model", "The summary", "The result", "Token counting and retries", "All settings as JSON"];
const SWITCHES = ["At request start", "Truncate tool results", "Clear tool inputs", "Drop oldest", "Retry if the result is too large"];

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 768, 320]) {
    test(`axe finds no faults in the settings, ${colorScheme}, ${width} pixels wide`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      const epitome = new EpitomePage(page);
      const look = async (what: string) => {
        expect(await epitome.faults(), what).toEqual([]);
        expect(await epitome.overflow(), what).toBe(0);
        await page.screenshot({ path: `out/page-${colorScheme}-${width}-${what}.png`, fullPage: true });
      };
      await epitome.open();
      await epitome.load(toolLoop(40, { argumentWords: 300, resultWords: 300 }));
      await page.getByLabel("Window of the model").fill("120000");
      for (const section of SECTIONS) await epitome.unfold(section);
      for (const name of SWITCHES) await page.getByRole("checkbox", { name }).check();
      await page.getByLabel("Written by").selectOption("own");
      await page.getByLabel("Tokens are counted by").selectOption("characters");
      await epitome.unfold("Open tasks");
      await epitome.readUsage(110_000, 20);
      await expect(epitome.due("Tool loop")).toContainText("due");
      await look("all-settings");
      await page.getByLabel("Written by").selectOption("none");
      await page.getByLabel("Warn at").fill("much");
      await epitome.applyJson("{");
      await expect(page.getByText("These settings are not valid")).toBeVisible();
      await look("wrong-settings");
    });
  }
}
