// The summary that is written in advance, as a ghost in the meter.

import { expect, test } from "@playwright/test";
import { EpitomePage, SLOW } from "./page.js";

/** Nothing is due, and the next summary is to be written from 60 % on. */
const AHEAD = { window: 8_000, triggers: [{ tokens: 7_900 }], prepareAt: { fraction: 0.6 } };

test("k9: the meter shows a summary while it is written in advance, when it is ready, and what it frees", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open(SLOW);
  await epitome.settle(AHEAD);
  const next = page.getByText(/^The next summary is (being written|ready): /);
  await expect(next).toHaveCount(0);
  await epitome.check("turn end");
  await expect(next).toHaveText(/^The next summary is being written: it is to free ~\d+ % of the window, which leaves ~[\d,]+ tokens\.$/);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /The next summary is being written/);
  // The chat goes on: nothing waits for it.
  await expect(epitome.button("Compact now")).toBeEnabled();
  expect(await epitome.faults()).toEqual([]);

  await expect(next).toHaveText(/^The next summary is ready: a compaction frees ~\d+ % of the window at once/);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /The next summary is ready/);
  const most = Number((await next.textContent())?.match(/leaves ~([\d,]+) tokens/)?.[1]?.replace(",", ""));
  await epitome.compact();
  await epitome.isCompacted();
  await expect(next).toHaveCount(0);
  const left = Number((await epitome.meter.getAttribute("aria-valuenow")) ?? Number.NaN);
  expect(left).toBeGreaterThan(most / 2);
  expect(left).toBeLessThanOrEqual(most);
  const events = (await epitome.events()).join("\n");
  expect(events).toContain("The next summary is ready.");
  expect(events).not.toContain("is not used");
});

test("k9: a summary in advance that is thrown away leaves the meter, and the events say why", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.settle(AHEAD);
  await epitome.check("turn end");
  const next = page.getByText(/^The next summary is ready: /);
  await expect(next).toBeVisible();
  // What changes no setting leaves it.
  await page.getByLabel("Reason", { exact: true }).selectOption("Whole session");
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await expect(next).toBeVisible();
  await epitome.settle({ ...AHEAD, minSaving: 0.2 });
  await expect(next).toHaveCount(0);
  await epitome.compact();
  await epitome.isCompacted();
  expect(await epitome.events()).toContain("The summary written in advance is not used: the policy has changed.");
});

test("k9: the point from which a summary is written in advance is a mark, moved by keys", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const mark = page.getByRole("slider", { name: "Where the next summary begins to be written" });
  await expect(mark).toHaveCount(0);
  await epitome.settle(AHEAD);
  await expect(mark).toHaveAttribute("aria-valuetext", "4,800 tokens");
  await mark.focus();
  await page.keyboard.press("ArrowRight");
  await expect(mark).toHaveAttribute("aria-valuetext", "4,880 tokens");
  await page.keyboard.press("PageDown");
  await expect(mark).toHaveAttribute("aria-valuetext", "4,480 tokens");
  await expect(mark).toBeFocused();
  const sheet = await epitome.openSettings("When to compact");
  await expect(sheet.getByLabel("Write the summary in advance from")).toHaveValue("56");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`k9: axe finds no faults in the ghost and its mark, ${colorScheme}, on a phone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 800 });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.settle(AHEAD);
    await epitome.check("turn end");
    await expect(page.getByText(/^The next summary is ready: /)).toBeVisible();
    expect(await epitome.faults()).toEqual([]);
    expect(await epitome.overflow()).toBe(0);
    await epitome.meter.scrollIntoViewIfNeeded();
    await page.screenshot({ path: `out/page-ghost-${colorScheme}-390.png` });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.screenshot({ path: `out/page-ghost-${colorScheme}-1280.png` });
  });
}
