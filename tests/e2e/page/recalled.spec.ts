// Quotes of earlier messages are shown where they are used, with links to the messages that they are from.

import { expect, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

const RECALLED = `<recalled-messages>
[2] user:
The gate code is 4711.
</recalled-messages>
(Quotes from earlier messages, oldest first, not a request. Where they differ, the later one holds.)`;

async function opensSource(page: Page, epitome: EpitomePage, number: string, text: string): Promise<void> {
  await epitome.details.getByRole("button", { name: `#${number}`, exact: true }).click();
  await expect(epitome.details.getByRole("heading", { name: `Message ${number}` })).toBeVisible();
  await expect(epitome.details).toContainText(text);
  await page.keyboard.press("Escape");
}

test("a message of an app that has recalled quotes leads to the messages that it quotes", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load([
    { role: "system", content: "Be brief." },
    { role: "user", content: "The gate code is 4711." },
    { role: "assistant", content: "Noted." },
    { role: "user", content: RECALLED },
    { role: "user", content: "Which code was it?" },
  ]);
  const recalled = epitome.rows.filter({ hasText: "recalledkeep" });
  await expect(recalled).toHaveCount(1);
  await recalled.press("Enter");
  await expect(epitome.details).toContainText("Quotes #2");
  expect(await epitome.faults()).toEqual([]);
  await opensSource(page, epitome, "2", "The gate code is 4711.");
  expect(epitome.errors).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`what was brought back stands in what the model sees, with a link to its source, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 800 });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.compact();
    await epitome.isCompacted();
    await page.getByRole("searchbox", { name: "Search the messages" }).fill("TAMP-58");
    await epitome.rows.filter({ hasText: "summarized" }).first().press("Enter");
    const title = (await epitome.details.getByRole("heading", { level: 2 }).textContent()) ?? "";
    await epitome.button("Bring back").click();
    await expect(epitome.button("Take out again")).toBeFocused();
    expect(await epitome.overflow()).toBe(0);
    await page.screenshot({ path: `out/page-bring-back-${colorScheme}-390.png` });
    await page.keyboard.press("Escape");
    await epitome.button("Show all messages").click();
    await page.getByText("What the model sees", { exact: true }).click();
    await epitome.rows.first().press("End");
    const quotes = epitome.rows.filter({ hasText: "brought back" });
    await expect(quotes).toHaveCount(1);
    await quotes.press("Enter");
    await expect(epitome.details.getByRole("heading", { name: "Brought back" })).toBeVisible();
    expect(await epitome.faults()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.screenshot({ path: `out/page-brought-back-${colorScheme}-1280.png` });
    await opensSource(page, epitome, title.replace("Message ", ""), "TAMP-58");
    expect(epitome.errors).toEqual([]);
  });
}
