// What the page shows when the browser cannot keep a conversation, by faults of a real browser.

import { readFile } from "node:fs/promises";
import { chromium, expect, type Page, test } from "@playwright/test";
import { restoreCompactor } from "epitome";
import config from "../../playwright.config.js";
import { Disk, incompressible } from "../disk.js";
import { HeldStore } from "../held.js";
import { EpitomePage, toolLoop } from "./page.js";

const LAUNCH = config.use?.launchOptions;

const KEPT = "· kept in this browser";
const FULL = "not saved: the browser has no space, or keeps nothing.";
const LOST = "not saved: it was changed or deleted in another tab.";

async function loaded(page: Page): Promise<EpitomePage> {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(toolLoop(12, { resultWords: 200 }), "mine.json");
  await epitome.tighten();
  await epitome.compact();
  await epitome.isCompacted();
  await expect(page.getByText(KEPT)).toBeVisible();
  return epitome;
}

async function downloaded(page: Page, epitome: EpitomePage): Promise<string> {
  const saved = page.waitForEvent("download");
  await epitome.button("Download it").click();
  return readFile(await (await saved).path(), "utf8");
}

test("a conversation is said to be kept only when the last change of it is", async ({ page }) => {
  const epitome = await loaded(page);
  // The second change comes while the first is not stored yet.
  const held = await HeldStore.of(page, "epitome-page", ".saved");
  await epitome.openTasks("- water the tulips");
  await epitome.openTasks("- water the roses");
  expect(await held.release()).toEqual([" · saving …"]);
  await expect(page.getByText(KEPT)).toBeVisible();
  await page.reload();
  await epitome.isLoaded("mine.json");
  await expect(page.getByLabel("Open tasks")).toHaveValue("- water the roses");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`h2: on a full disk the page goes on in memory, says so with an export at hand, and saves all once there is space, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const disk = await Disk.of(page);
    await disk.leave(300_000);
    const epitome = await loaded(page);
    await disk.leave(1);
    const tasks = incompressible(120_000);
    await epitome.openTasks(tasks);
    await expect(page.getByText(FULL)).toBeVisible();
    await epitome.undo.click();
    await expect(epitome.undo).toHaveCount(0);
    await expect(page.getByText(FULL)).toBeVisible();
    expect(await epitome.faults()).toEqual([]);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: `out/page-unsaved-${colorScheme}-1280.png` });
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await epitome.overflow()).toBe(0);
    await page.screenshot({ path: `out/page-unsaved-${colorScheme}-390.png` });
    await page.setViewportSize({ width: 1280, height: 720 });

    const archive = await downloaded(page, epitome);
    const restored = await restoreCompactor(archive, { format: "openai-chat" });
    expect(restored.compacted()).toEqual([]);
    expect(restored.messages()).toEqual(await epitome.messages());
    restored.dispose();

    await epitome.button("Try again").click();
    await expect(page.getByText(FULL)).toBeVisible();
    await disk.leave(1_000_000_000);
    await epitome.button("Try again").click();
    await expect(page.getByText(KEPT)).toBeVisible();
    await expect.poll(() => epitome.focused()).not.toBe("BODY");
    await page.reload();
    await epitome.isLoaded("mine.json");
    await expect(epitome.undo).toHaveCount(0);
    await epitome.unfold("Open tasks");
    expect(await page.getByRole("textbox", { name: "Open tasks" }).inputValue()).toBe(tasks);
    expect(epitome.errors).toEqual([]);
  });
}

test("h2: data that is deleted under the open page is noticed, and all of it is kept again as a copy", async ({ baseURL }, testInfo) => {
  // Chromium deletes the data of a profile on the disk as a user does it, and not that of a profile off the record.
  const context = await chromium.launchPersistentContext(testInfo.outputPath("profile"), { ...LAUNCH, ...(baseURL === undefined ? {} : { baseURL }) });
  try {
    const page = await context.newPage();
    const epitome = await loaded(page);
    const compacted = await epitome.messages();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Storage.clearDataForOrigin", { origin: new URL(page.url()).origin, storageTypes: "indexeddb" });
    await epitome.undo.click();
    await expect(page.getByText(LOST)).toBeVisible();
    const undone = await epitome.messages();
    expect(undone).not.toEqual(compacted);
    await epitome.button("Keep as a copy").click();
    await expect(page.getByText(KEPT)).toBeVisible();
    await page.reload();
    await epitome.isLoaded("mine.json");
    expect(await epitome.messages()).toEqual(undone);
    expect(epitome.errors).toEqual([]);
  } finally {
    await context.close();
  }
});

test("h2: a newer version of the page changes the database: nothing hangs, and what is not saved is exported and opened", async ({ page, context }) => {
  const epitome = await loaded(page);
  const newer = await context.newPage();
  await newer.goto("/icon.svg");
  await newer.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open("epitome-page", 99);
        request.onerror = () => reject(request.error);
        request.onblocked = () => reject(new Error("the open page holds the database"));
        request.onsuccess = () => (request.result.close(), resolve());
      }),
  );
  await epitome.openTasks("Call the florist.");
  await expect(page.getByText(FULL)).toBeVisible();
  const compacted = await epitome.messages();
  const archive = await downloaded(page, epitome);
  await epitome.openSample("Planning a trip");
  await epitome.pick({ name: "mine again.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(archive) });
  await epitome.isLoaded("mine again.jsonl");
  await expect(page.getByRole("list", { name: "Compactions" }).getByRole("listitem")).toHaveCount(1);
  expect(await epitome.messages()).toEqual(compacted);
  expect(epitome.errors).toEqual([]);
});
