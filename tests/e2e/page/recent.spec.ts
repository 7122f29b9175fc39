// An app may load only as much of a long history as fits.

import { expect, test } from "@playwright/test";
import { EpitomePage, type Message } from "./page.js";

test("b13: only the most recent messages that fit the window are loaded", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const said = Array.from({ length: 400 }, (_, index): Message => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Number ${index + 1}. ${"All work and no play makes a long conversation. ".repeat(60)}`,
  }));
  const messages: Message[] = [{ role: "system", content: "Be brief." }, ...said];
  await epitome.open();
  await epitome.openPasteField();
  await page.getByLabel("Load only what fits the window").check();
  await epitome.load(messages, "long.json");
  await expect(page.getByText(/of 401, the most recent that fit 128,000 tokens/)).toBeVisible();
  await expect(epitome.rows.first()).toContainText("Be brief.");
  await expect(epitome.rows.nth(1)).not.toContainText("Number 1.");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 128,000 tokens \((9\d|100) %\)/);
  const loaded = await epitome.messages();
  expect(loaded.length).toBeLessThan(401);
  expect(loaded).toEqual([messages[0], ...messages.slice(1 - loaded.length)]);
  expect(JSON.parse(await epitome.exported("Download the whole history"))).toEqual(messages);
  await epitome.compact();
  await epitome.isCompacted();
  expect((await epitome.messages()).at(-1)).toEqual(messages.at(-1));
  expect(epitome.errors).toEqual([]);
});
