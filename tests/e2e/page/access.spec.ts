// The page is accessible: axe finds no faults, at any width, in light and dark, and by keyboard alone.

import { expect, test } from "@playwright/test";
import { EpitomePage, scripted, SLOW } from "./page.js";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 768, 320]) {
    test(`axe finds no faults, ${colorScheme}, ${width} pixels wide`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      const epitome = new EpitomePage(page);
      const look = async (what: string) => {
        expect(await epitome.faults(), what).toEqual([]);
        expect(await epitome.overflow(), what).toBe(0);
        await page.screenshot({ path: `out/page-${colorScheme}-${width}-${what}.png`, fullPage: what !== "details" });
      };
      await epitome.open(SLOW);
      await look("start");
      await epitome.compact();
      await expect(page.getByRole("region", { name: "The summary as it arrives" })).not.toContainText("Waiting");
      await look("running");
      await epitome.isCompacted();
      await look("compacted");
      await page.getByLabel("Window of the model").fill("none");
      await epitome.summarizeAt(scripted("401"));
      await look("settings");
      await epitome.rows.nth(3).click();
      await expect(epitome.details).toBeVisible();
      await look("details");
      await page.keyboard.press("Escape");
      await expect(epitome.details).toBeHidden();
      await expect(epitome.rows.nth(3)).toBeFocused();
    });
  }
}

test("everything can be done with the keyboard", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const tabTo = async (name: string, key = "Tab") => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press(key);
      const focused = page.locator(":focus");
      if ((await focused.count()) > 0 && (await focused.evaluate((element) => element.textContent?.trim())) === name) return;
    }
    throw new Error(`the keyboard does not reach “${name}”`);
  };
  await epitome.open();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo("Planning a trip");
  await page.keyboard.press("Enter");
  await epitome.isLoaded("Planning a trip");
  await tabTo("Compact now");
  await page.keyboard.press("Enter");
  await epitome.isCompacted();
  await epitome.rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(epitome.rows.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(epitome.rows.last()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(epitome.details).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(epitome.details).toBeHidden();
  await tabTo("Undo", "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(epitome.undo).toHaveCount(0);
  await expect(epitome.button("Compact now")).toBeFocused();
});

test("the theme is chosen, stored, and applied before the page is shown", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await page.emulateMedia({ colorScheme: "light" });
  await epitome.open();
  await page.getByText("Dark", { exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload({ waitUntil: "commit" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
});
