// What the browser keeps for the next visit.

import { expect, test } from "@playwright/test";
import { EpitomePage, toolLoop } from "./page.js";

test("settings are kept for the next visit, without keys, and without the window of a sample", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.getByLabel("Threshold", { exact: true }).fill("60");
  await epitome.summarizeAt("http://127.0.0.1:9099/v1");
  await page.getByLabel("Key (optional)").fill("sk-secret-1");
  await expect.poll(() => page.evaluate(() => localStorage.getItem("epitome-settings") ?? "")).toContain("9099");
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("sk-secret-1");
  await page.reload();
  await epitome.isLoaded("Customer support");
  await expect(page.getByLabel("Threshold", { exact: true })).toHaveValue("60");
  await expect(page.getByLabel("Base URL")).toHaveValue("http://127.0.0.1:9099/v1");
  await expect(page.getByLabel("Key (optional)")).toHaveValue("");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 8,000 tokens/);
  await epitome.load([{ role: "user", content: "hi" }]);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 128,000 tokens/);
});

test("settings that another version of the page has kept do no harm", async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem("epitome-settings", '{"policy":"{\\"window\\":\\"large\\"}","summarizer":{"kind":7}}'));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await expect(page.getByLabel("Threshold", { exact: true })).toHaveValue("75");
  expect(epitome.errors).toEqual([]);
});

test("a conversation is there again after a reload, with its compactions and its pins, and an undo of them", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(toolLoop(12, { resultWords: 200 }), "mine.json");
  await epitome.tighten();
  const before = await epitome.exported();
  await epitome.compact();
  await epitome.isCompacted();
  const compacted = await epitome.exported();
  await expect(page.getByText("· kept in this browser")).toBeVisible();

  await page.reload();
  await epitome.isLoaded("mine.json");
  await expect(page.getByRole("list", { name: "Compactions" }).getByRole("listitem")).toHaveCount(1);
  expect(await epitome.exported()).toBe(compacted);
  await epitome.undo.click();
  await expect(epitome.undo).toHaveCount(0);
  expect(await epitome.exported()).toBe(before);
  expect(await epitome.exported("Download the whole history")).toBe(before);
  await expect(page.getByText("· kept in this browser")).toBeVisible();

  await page.reload();
  await epitome.isLoaded("mine.json");
  await expect(epitome.undo).toHaveCount(0);
  expect(epitome.errors).toEqual([]);
});

test("h2: no conversation goes for another one, however many are kept", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.evaluate(() => {
    const earlier = (id: number) => ({ id: `${id}`, name: `chat ${id}.json`, messages: 2, tokens: 10 });
    localStorage.setItem("epitome-conversations", JSON.stringify(Array.from({ length: 60 }, (_, id) => earlier(id))));
  });
  await epitome.load(toolLoop(3), "latest.json");
  const list = page.getByText(/^Kept \(\d+\)$/);
  await expect(list).toHaveText("Kept (61)");
  await list.click();
  const kept = page.getByRole("list", { name: "Conversations in this browser" }).getByRole("listitem");
  await expect(kept.first()).toContainText("latest.json");
  await expect(kept.last()).toContainText("chat 59.json");
});

test("kept conversations are listed, opened and deleted, and a sample is kept once it has changed", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const list = page.getByText(/^Kept \(\d+\)$/);
  await expect(list).toHaveCount(0);
  await epitome.load(toolLoop(3), "first.json");
  await expect(list).toHaveText("Kept (1)");
  await epitome.openSample("Planning a trip");
  await epitome.compact();
  await epitome.isCompacted();
  await expect(list).toHaveText("Kept (2)");
  await list.click();
  const kept = page.getByRole("list", { name: "Conversations in this browser" }).getByRole("listitem");
  await expect(kept).toContainText(["Planning a trip", "first.json"]);
  expect(await epitome.faults()).toEqual([]);
  await epitome.button("first.json").click();
  await epitome.isLoaded("first.json");
  await expect(epitome.undo).toHaveCount(0);
  await epitome.button("Delete first.json").click();
  await expect(list).toHaveText("Kept (1)");
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await epitome.button("Delete Planning a trip").click();
  await expect(list).toHaveCount(0);
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  expect(await epitome.commits()).toBe(0);
  await page.reload();
  await epitome.isLoaded("Customer support");
});

test("a conversation whose file is gone is not in the way of the page", async ({ page }) => {
  await page.addInitScript(() => {
    if (localStorage.getItem("epitome-conversations") === null) {
      localStorage.setItem("epitome-conversations", '[{"id":"1","name":"gone.json","messages":2,"tokens":9}]');
    }
  });
  const epitome = new EpitomePage(page);
  await epitome.open();
  await expect(page.getByText(/^Kept \(\d+\)$/)).toHaveCount(0);
  expect(epitome.errors).toEqual([]);
});
