// The list is limited by words, by who speaks, and by what happens to the messages.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("a message that a summary has replaced is found by its words", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByRole("searchbox", { name: "Search the messages" }).fill("TAMP-58");
  await expect(page.getByText(/^\d+ messages?$/)).toBeVisible();
  const found = await epitome.rows.count();
  expect(found).toBeGreaterThan(0);
  await expect(epitome.rows.filter({ hasText: "summarized" }).first()).toBeVisible();
  await epitome.rows.first().click();
  await expect(epitome.details).toContainText("TAMP-58");
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("no message says this");
  await expect(page.getByText("No message has all of these words.")).toBeVisible();
  await epitome.button("Show all messages").click();
  await expect(page.getByRole("searchbox")).toBeFocused();
  await expect(epitome.rows.first()).toBeVisible();
  expect(await epitome.faults()).toEqual([]);
});

test("a question is answered by the best matches, also where no message has all of its words, and these are brought back", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const best = page.getByRole("region", { name: "Best matches" });
  await page.getByRole("searchbox", { name: "Search the messages" }).fill("When was the machine delivered?");
  await expect(page.getByText("No message has all of these words.")).toBeVisible();
  const label = best.getByRole("listitem").filter({ hasText: "2026-03-09" }).first();
  await expect(label).toContainText("in the window");
  await expect(best.getByRole("button", { name: /^Bring back/ })).toHaveCount(0);
  await page.getByRole("searchbox").fill("");
  await expect(best).toHaveCount(0);
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByRole("searchbox").fill("When was the machine delivered?");
  await expect(label).toContainText("only in the history");
  expect(await epitome.faults()).toEqual([]);
  await label.getByRole("button", { name: /^Bring back message \d+$/ }).click();
  const out = label.getByRole("button", { name: /^Take out again message \d+$/ });
  await expect(out).toBeFocused();
  expect(JSON.stringify((await epitome.messages()).at(-1))).toContain("2026-03-09");
  await out.click();
  await expect(label.getByRole("button", { name: /^Bring back/ })).toBeFocused();
  await label.getByRole("button", { name: /^#\d+$/ }).click();
  await expect(epitome.details).toContainText("2026-03-09");
  expect(epitome.errors).toEqual([]);
});

test("the legend and the key of the picture limit the list", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const legend = page.getByRole("list", { name: "What fills the window, in tokens" });
  await legend.getByRole("button", { name: /^User / }).click();
  await expect(page.getByText(/^\d+ messages? of role user$/)).toBeVisible();
  await expect(epitome.rows.first()).toContainText("user");
  const key = page.getByRole("list", { name: "What happens to the messages" });
  await key.getByRole("button", { name: /become the summary/ }).click();
  await expect(page.getByText(/^\d+ messages? of role user that become the summary$/)).toBeVisible();
  await legend.getByRole("button", { name: /^User / }).click();
  await expect(page.getByText(/^\d+ messages that become the summary$/)).toBeVisible();
  await expect(epitome.rows.first()).toContainText("summarize");
  await expect(key.getByRole("button", { name: /become the summary/ })).toHaveAttribute("aria-pressed", "true");
  expect(await epitome.faults()).toEqual([]);
});

test("only replaced messages are searched, by all words in any order, also from what the model sees", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const limit = epitome.button("Replaced messages only");
  await expect(limit).toHaveCount(0);
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByText("What the model sees", { exact: true }).click();
  await limit.click();
  await expect(limit).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText(/^\d+ messages that are only in the history$/)).toBeVisible();
  await page.getByRole("searchbox", { name: "Search the messages" }).fill("imogen bw-48213");
  await expect(epitome.rows.first()).toContainText("summarized");
  await expect(epitome.rows.filter({ hasNotText: "summarized" })).toHaveCount(0);
  await epitome.rows.first().press("Enter");
  await expect(epitome.details).toContainText("BW-48213");
  await expect(epitome.details).toContainText(/Imogen/);
  await expect(epitome.button("Bring back")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("");
  await limit.click();
  await expect(limit).toHaveAttribute("aria-pressed", "false");
  expect(await epitome.faults()).toEqual([]);
  expect(epitome.errors).toEqual([]);
});

for (const place of ["start", "end"] as const) {
  test(`by a key, the search and what it finds come into view from the ${place} of the page`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.compact();
    await epitome.isCompacted();
    const search = page.getByRole("searchbox", { name: "Search the messages" });
    const scroll = (): Promise<void> =>
      page.evaluate((to) => scrollTo({ top: to === "start" ? 0 : document.body.scrollHeight, behavior: "instant" }), place);
    // Nothing of it is behind the bar, which stays at the top.
    const bar = page.locator(".instrument");
    const bottom = async (): Promise<number> => bar.evaluate((element) => element.getBoundingClientRect().bottom);
    const isInView = async (): Promise<void> => {
      await expect(search).toBeInViewport({ ratio: 1 });
      await expect.poll(async () => ((await search.boundingBox())?.y ?? 0) - (await bottom())).toBeGreaterThan(0);
    };
    await scroll();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await isInView();
    await scroll();
    await page.keyboard.type("When was the machine delivered?");
    await expect(page.getByRole("region", { name: "Best matches" }).getByRole("listitem").first()).toBeInViewport({ ratio: 1 });
    await isInView();
  });
}
