// One conversation in several tabs: one edits it, and the others show what that saves.

import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { Disk, incompressible } from "../disk.js";
import { EpitomePage, SLOW, toolLoop } from "./page.js";

const KEPT = "· kept in this browser";
const FOLLOWS = "· another tab edits it, and this one shows what that saves";
const LOST = "not saved: it was changed or deleted in another tab.";

interface Tab {
  page: Page;
  epitome: EpitomePage;
}

/** A tab that has loaded a conversation, which is kept. */
async function firstTab(page: Page, address = "/"): Promise<Tab> {
  const epitome = new EpitomePage(page);
  await epitome.open(address);
  await epitome.load(toolLoop(12, { resultWords: 200 }), "mine.json");
  await epitome.tighten();
  await expect(page.getByText(KEPT)).toBeVisible();
  return { page, epitome };
}

/** Another tab, which opens what was kept last. */
async function nextTab(context: BrowserContext, address = "/"): Promise<Tab> {
  const page = await context.newPage();
  const epitome = new EpitomePage(page);
  await page.goto(address);
  await epitome.isLoaded("mine.json");
  await expect(page.getByText(FOLLOWS)).toBeVisible();
  return { page, epitome };
}

const compactions = ({ page }: Tab) => page.getByRole("list", { name: "Compactions" }).getByRole("listitem");

/** What screen readers are told from now on. */
async function announcements({ page }: Tab): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const region = document.querySelector("body > [role=status][aria-live=polite]");
    const said: string[] = ((globalThis as { said?: string[] }).said = []);
    new MutationObserver(() => said.push(region?.textContent ?? "")).observe(region as Node, { childList: true, characterData: true, subtree: true });
  });
  return () => page.evaluate(() => (globalThis as { said?: string[] }).said ?? []);
}

async function pinFirst({ page, epitome }: Tab, row = 1): Promise<void> {
  await epitome.rows.nth(row).press("Enter");
  await epitome.button("Pin").click();
  await expect(epitome.button("Unpin")).toBeVisible();
  await page.keyboard.press("Escape");
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`h2: the page of another tab shows what the editing one does, says so, and changes nothing, ${colorScheme}`, async ({ page, context }) => {
    const writer = await firstTab(page);
    const follower = await nextTab(context);
    await follower.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const said = await announcements(follower);
    await writer.epitome.compact();
    await writer.epitome.isCompacted();
    await expect(compactions(follower)).toHaveCount(1);
    expect(await follower.epitome.messages()).toEqual(await writer.epitome.messages());
    await expect.poll(said).toEqual(["Another tab has changed this conversation."]);

    const before = await follower.epitome.commits();
    await expect(follower.epitome.button("Compact now")).toHaveAttribute("aria-disabled", "true");
    await expect(follower.epitome.undo).toBeDisabled();
    await follower.page.keyboard.press("u");
    await expect(compactions(follower)).toHaveCount(1);
    await follower.epitome.rows.nth(1).press("Enter");
    expect(await follower.epitome.faults()).toEqual([]);
    await follower.page.keyboard.press("Escape");
    expect(await follower.epitome.commits()).toBe(before);
    expect(await follower.epitome.faults()).toEqual([]);
    await follower.page.screenshot({ path: `out/page-follows-${colorScheme}-1280.png` });
    await follower.page.setViewportSize({ width: 390, height: 800 });
    expect(await follower.epitome.overflow()).toBe(0);
    await follower.page.screenshot({ path: `out/page-follows-${colorScheme}-390.png` });

    await writer.epitome.undo.click();
    await expect(follower.epitome.undo).toHaveCount(0);
    await expect(compactions(follower)).toHaveCount(0);
    expect([...writer.epitome.errors, ...follower.epitome.errors]).toEqual([]);
  });
}

test("h2: a tab takes the conversation over, and the one that edited it follows", async ({ page, context }) => {
  const first = await firstTab(page);
  const second = await nextTab(context);
  await second.epitome.button("Edit here").click();
  await expect(second.page.getByText(KEPT)).toBeVisible();
  await expect(first.page.getByText(FOLLOWS)).toBeVisible();
  await expect.poll(() => second.epitome.focused()).not.toBe("BODY");
  await second.epitome.tighten();
  await second.epitome.compact();
  await second.epitome.isCompacted();
  await expect(compactions(first)).toHaveCount(1);
  expect(await first.epitome.messages()).toEqual(await second.epitome.messages());
  await first.epitome.button("Edit here").click();
  await expect(second.page.getByText(FOLLOWS)).toBeVisible();
  await first.epitome.undo.click();
  await expect(compactions(second)).toHaveCount(0);
  expect([...first.epitome.errors, ...second.epitome.errors]).toEqual([]);
});

test("h2: when the editing tab is closed, the next one goes on with all that was saved", async ({ page, context }) => {
  const first = await firstTab(page);
  const second = await nextTab(context);
  const third = await nextTab(context);
  await first.epitome.compact();
  await first.epitome.isCompacted();
  await expect(page.getByText(KEPT)).toBeVisible();
  const compacted = await first.epitome.messages();
  await page.close();
  await expect(second.page.getByText(KEPT)).toBeVisible();
  await expect(third.page.getByText(FOLLOWS)).toBeVisible();
  expect(await second.epitome.messages()).toEqual(compacted);
  await second.epitome.undo.click();
  await expect(compactions(third)).toHaveCount(0);
  await second.page.reload();
  await second.epitome.isLoaded("mine.json");
  await expect(compactions(second)).toHaveCount(0);
});

test("h2: a tab that dies in the middle of a compaction frees the conversation, with all that was shown as kept", async ({ page, context }) => {
  const writer = await firstTab(page, SLOW);
  await pinFirst(writer);
  await expect(page.getByText(KEPT)).toBeVisible();
  const next = await nextTab(context, SLOW);
  await writer.epitome.summarizeHere();
  await writer.epitome.compact();
  await expect(writer.epitome.button("Cancel")).toBeVisible();
  const devtools = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  devtools.send("Page.crash").catch(() => undefined);
  await crashed;
  await expect(next.page.getByText(KEPT)).toBeVisible();
  await expect(compactions(next)).toHaveCount(0);
  await next.epitome.rows.nth(1).press("Enter");
  await expect(next.epitome.button("Unpin")).toBeVisible();
  await next.page.keyboard.press("Escape");
  await next.epitome.summarizeInPage();
  await next.epitome.tighten();
  await next.epitome.compact();
  await next.epitome.isCompacted();
  await expect(next.page.getByText(KEPT)).toBeVisible();
  await next.page.reload();
  await next.epitome.isLoaded("mine.json");
  await expect(compactions(next)).toHaveCount(1);
  expect(next.epitome.errors).toEqual([]);
});

test("h2: what a tab could not save is refused once another one edits, and kept as a copy", async ({ page, context }) => {
  const full = await Disk.of(page);
  await full.leave(300_000);
  const first = await firstTab(page);
  await full.leave(1);
  await first.epitome.openTasks(incompressible(120_000));
  await expect(page.getByText("not saved: the browser has no space")).toBeVisible();
  const second = await nextTab(context);
  await full.leave(1_000_000_000);
  await second.epitome.button("Edit here").click();
  await expect(second.page.getByText(KEPT)).toBeVisible();
  await expect(page.getByText(LOST)).toBeVisible();
  expect(await first.epitome.faults()).toEqual([]);
  await first.epitome.button("Keep as a copy").click();
  await expect(page.getByText(KEPT)).toBeVisible();
  await expect.poll(() => first.epitome.focused()).not.toBe("BODY");
  await expect(page.getByText("Kept (2)")).toBeVisible();
  await expect(second.page.getByText("Kept (2)")).toBeVisible();
  await second.epitome.unfold("Open tasks");
  await expect(second.page.getByRole("textbox", { name: "Open tasks" })).toHaveValue("");
  expect([...first.epitome.errors, ...second.epitome.errors]).toEqual([]);
});

test("h2: a conversation that another tab deletes is still on the page, and is kept again as a copy", async ({ page, context }) => {
  const first = await firstTab(page);
  const second = await nextTab(context);
  await page.getByText("Kept (1)").click();
  await first.epitome.button("Delete mine.json").click();
  await expect(second.page.getByText(LOST)).toBeVisible();
  await second.epitome.button("Keep as a copy").click();
  await expect(second.page.getByText(KEPT)).toBeVisible();
  await expect(page.getByText("Kept (1)")).toBeVisible();
  expect([...first.epitome.errors, ...second.epitome.errors]).toEqual([]);
});
