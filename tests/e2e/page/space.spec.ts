// The space that kept conversations take in the browser, and what a deletion frees.

import { expect, test } from "@playwright/test";
import { EpitomePage, toolLoop } from "./page.js";

for (const colorScheme of ["light", "dark"] as const) {
  test(`the list of kept conversations says what each takes, how much is used, and what a deletion has freed, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.load(toolLoop(3), "small.json");
    await expect(page.getByText("· kept in this browser")).toBeVisible();
    await epitome.load(toolLoop(60, { resultWords: 400 }), "large.json");
    const list = page.getByText("Kept (2)");
    await expect(page.getByText("· kept in this browser")).toBeVisible();
    await list.click();
    const kept = page.getByRole("list", { name: "Conversations in this browser" }).getByRole("listitem");
    await expect(kept.filter({ hasText: "large.json" })).toContainText(/ tokens · \d{3}(\.\d)? kB/);
    await expect(kept.filter({ hasText: "small.json" })).toContainText(/ tokens · \d(\.\d)? kB/);
    await expect(page.getByText(/^[\d.]+ \w+ of [\d.]+ [MGT]B are used\.$/)).toBeVisible();
    expect(await epitome.faults()).toEqual([]);
    await page.screenshot({ path: `out/page-space-${colorScheme}-1280.png` });
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await epitome.overflow()).toBe(0);
    await page.screenshot({ path: `out/page-space-${colorScheme}-390.png` });
    await page.setViewportSize({ width: 1280, height: 720 });
    const persist = epitome.button("Ask the browser to keep them");
    await persist.click();
    await expect(page.getByText(/The browser (deletes nothing of it|does not promise to keep it)\./)).toBeVisible();
    await epitome.button("Delete large.json").click();
    await expect(page.getByText(/ are used\. \d{3}(\.\d)? kB are free again\.$/)).toBeVisible();
    await expect(page.getByText("Kept (1)")).toBeVisible();
    expect(epitome.errors).toEqual([]);
  });
}
