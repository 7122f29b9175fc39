// State and memory: what holds beside the summary, where it is from, and how it is changed and taken back.

import { expect, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

const SETTING = "Keep lists of decisions, tasks and open questions";

class Panel {
  readonly region;
  readonly said;
  readonly undo;

  constructor(page: Page) {
    this.region = page.getByRole("region", { name: "State and memory" });
    this.said = page.getByRole("status");
    this.undo = this.region.getByRole("button", { name: "Undo the last change here" });
  }

  /** The fields of a list, first to last. */
  entries(list: string) {
    return this.region.getByRole("list", { name: new RegExp(`^${list} \\d+$`) }).getByRole("textbox");
  }

  texts(list: string): Promise<string[]> {
    return this.entries(list).evaluateAll((fields) => fields.map((field) => (field as HTMLTextAreaElement).value));
  }

  field(name: string) {
    return this.region.getByRole("textbox", { name, exact: true });
  }

  button(name: string) {
    return this.region.getByRole("button", { name, exact: true });
  }

  async add(list: string, text: string): Promise<void> {
    const field = this.field("What it says");
    if (!(await field.isVisible())) await this.region.getByText("Add an entry", { exact: true }).click();
    await this.region.getByLabel("List", { exact: true }).selectOption(list);
    await field.fill(text);
    await field.press("Enter");
    await expect(field).toHaveValue("");
  }

  /** Whether something in the panel has the focus. */
  hasFocus(): Promise<boolean> {
    return this.region.evaluate((region) => region.contains(document.activeElement));
  }
}

/** A sample with the lists on, summarized in the page. */
async function summarized(page: Page, sample = "Customer support"): Promise<{ epitome: EpitomePage; panel: Panel }> {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample(sample);
  await epitome.summarizeInPage();
  await (await epitome.openSettings("The summary")).getByRole("checkbox", { name: SETTING }).check();
  await epitome.closeSettings();
  await epitome.compact();
  await epitome.isCompacted();
  return { epitome, panel: new Panel(page) };
}

test("e1: before a summary a sentence says when there are lists, and a summary brings them with links to their messages", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const panel = new Panel(page);
  await epitome.open();
  await expect(panel.region).toContainText(`comes here when you add it, and with the next summary if this is on: ${SETTING}`);
  await expect(panel.region.getByRole("list")).toHaveCount(0);
  await panel.region.getByRole("button", { name: SETTING }).click();
  await expect(epitome.sheet.getByText("1 setting", { exact: true })).toBeVisible();
  await epitome.sheet.getByRole("checkbox", { name: SETTING }).check();
  await epitome.closeSettings();
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await expect(panel.region.getByRole("button", { name: SETTING })).toHaveCount(0);
  await epitome.summarizeInPage();
  await epitome.compact();
  await epitome.isCompacted();
  await expect(panel.entries("Tasks").first()).not.toHaveValue("");
  const entry = panel.region.getByRole("list", { name: /^Tasks/ }).getByRole("listitem").first();
  const source = entry.getByRole("button", { name: /^#/ }).first();
  const number = ((await source.textContent()) ?? "").replace("#", "");
  await source.click();
  await expect(epitome.details).toContainText(`Message ${number}`);
  await page.keyboard.press("Escape");
  await expect(epitome.details).toBeHidden();
  await expect(source).toBeFocused();
  expect(epitome.errors).toEqual([]);
});

test("e1: entries are changed, added, done and removed on the page, and an undo takes each change back", async ({ page }) => {
  const { epitome, panel } = await summarized(page);
  const before = await panel.texts("Tasks");
  expect(before.length).toBeGreaterThan(1);

  await panel.field("Task 1").fill("  Send the tank\nagain ");
  await panel.field("Task 1").press("Enter");
  await expect(panel.field("Task 1")).toHaveValue("Send the tank again");
  await expect(panel.field("Task 1")).toBeFocused();
  await expect(panel.said.filter({ hasText: "The entry is changed." })).toBeAttached();

  const done = panel.region.getByRole("checkbox", { name: "Task 2 is done" });
  const wasDone = await done.isChecked();
  await done.setChecked(!wasDone);
  await expect(panel.said.filter({ hasText: "The task is changed." })).toBeAttached();
  await expect(done).toBeFocused();

  await panel.add("Risks", "The second tank may crack too");
  await expect(panel.field("Risk 1")).toHaveValue("The second tank may crack too");
  await expect(panel.field("What it says")).toBeFocused();

  await panel.button("Remove task 1").click();
  await expect(panel.entries("Tasks")).toHaveCount(before.length - 1);
  await expect(panel.field("Task 1")).toBeFocused();

  await panel.undo.press("Enter");
  await expect(panel.field("Task 1")).toHaveValue("Send the tank again");
  await expect(panel.undo).toBeFocused();
  await panel.undo.press("Enter");
  await expect.poll(() => panel.texts("Risks")).not.toContain("The second tank may crack too");
  await panel.undo.press("Enter");
  await expect(done).toBeChecked({ checked: wasDone });
  await panel.undo.press("Enter");
  await expect(panel.undo).toHaveCount(0);
  await expect.poll(() => panel.hasFocus()).toBe(true);
  expect(await panel.texts("Tasks")).toEqual(before);
  await expect(epitome.undo).toBeVisible();
  expect(epitome.errors).toEqual([]);
});

test("e1: the undo of the page takes back a change of the lists before the compaction, and both by the list of compactions", async ({ page }) => {
  const { epitome, panel } = await summarized(page);
  const before = await panel.texts("Tasks");
  const undoChange = epitome.button("Undo the change of the state");
  await panel.button("Remove task 1").click();
  await expect(epitome.undo).toHaveCount(0);
  await undoChange.click();
  await expect.poll(() => panel.texts("Tasks")).toEqual(before);
  await expect(epitome.undo).toBeVisible();

  await panel.button("Remove task 1").click();
  await expect(undoChange).toBeVisible();
  await epitome.button("Undo compaction 1").click();
  await expect(panel.region.getByRole("list")).toHaveCount(0);
  await expect(epitome.undo.or(undoChange)).toHaveCount(0);

  await panel.add("Decisions", "We refund it");
  await page.getByRole("heading", { name: "State and memory" }).click();
  await page.keyboard.press("u");
  await expect(panel.region.getByRole("list")).toHaveCount(0);
  expect(epitome.errors).toEqual([]);
});

test("e1: the next summary has an entry as it was changed on the page, also after a reload", async ({ page }) => {
  const { epitome, panel } = await summarized(page);
  await panel.field("Task 1").fill("Send the tank by courier");
  await panel.field("Task 1").blur();
  await expect(page.getByText("· kept in this browser")).toBeVisible();
  await page.reload();
  await epitome.isLoaded("Customer support");
  await expect(panel.field("Task 1")).toHaveValue("Send the tank by courier");
  await page.getByLabel("Window of the model").fill("4000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /time to compact/);
  await epitome.compact();
  await epitome.isCompacted();
  const summary = (await epitome.messages()).map(({ content }) => String(content)).find((content) => content.includes("<conversation-summary"));
  expect(summary).toContain("Send the tank by courier");
});

test("e1: what a list cannot have is said: nothing, the same twice, and more than its limit", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const panel = new Panel(page);
  await epitome.open();
  for (const number of [1, 2, 3, 4, 5]) await panel.add("Open questions", `Who is number ${number}?`);
  await panel.add("Open questions", "Who is number 5?");
  await expect(panel.said.filter({ hasText: "Nothing has changed." })).toBeAttached();
  expect(await panel.texts("Open questions")).toEqual([5, 4, 3, 2, 1].map((number) => `Who is number ${number}?`));
  await panel.add("Open questions", "Who is number 6?");
  await expect(panel.region).toContainText("One entry has left its list");
  expect(await panel.texts("Open questions")).toEqual([6, 5, 4, 3, 2].map((number) => `Who is number ${number}?`));
  await panel.field("Question 5").fill(" ");
  await panel.field("Question 5").press("Enter");
  await expect(panel.entries("Open questions")).toHaveCount(4);
  await expect.poll(() => panel.hasFocus()).toBe(true);
  for (const left of [3, 2, 1, 0]) {
    await panel.button("Remove question 1").click();
    await expect(panel.entries("Open questions")).toHaveCount(left);
    await expect.poll(() => panel.hasFocus()).toBe(true);
  }
  await expect(panel.region).toContainText("comes here when you add it");
  expect(epitome.errors).toEqual([]);
});

test("e1: the lists of an agent are its own", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const panel = new Panel(page);
  await epitome.open();
  await epitome.openSample("A design review");
  await (await epitome.openSettings("The summary")).getByRole("checkbox", { name: SETTING }).check();
  await epitome.closeSettings();
  await epitome.button("Compact for noor").click();
  await expect(panel.region.getByRole("list")).toHaveCount(0);
  const reader = panel.region.getByLabel("What holds for");
  await reader.selectOption("noor");
  const entries = panel.region.getByRole("listitem");
  const lists = await entries.count();
  expect(lists).toBeGreaterThan(0);
  await panel.add("Decisions", "We measure it twice");
  await expect(panel.field("Decision 1")).toHaveValue("We measure it twice");
  await reader.selectOption("Everyone");
  await expect(entries).toHaveCount(0);
  await reader.selectOption("noor");
  await panel.undo.click();
  await expect.poll(() => panel.texts("Decisions")).not.toContain("We measure it twice");
  expect(epitome.errors).toEqual([]);
});

test("e2: entries of the memory are added, changed and removed, and at fifteen the ten oldest become its summary", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const panel = new Panel(page);
  await epitome.open();
  await epitome.summarizeInPage();
  for (let number = 1; number <= 14; number += 1) await panel.add("Memory", `Shelf ${number} holds the tanks of week ${number}.`);
  await expect(panel.entries("Memory")).toHaveCount(14);
  await expect(panel.region.getByRole("group", { name: "Summary of the memory" })).toHaveCount(0);
  await panel.field("Memory 14").fill("Shelf 14 is empty.");
  await panel.field("Memory 14").press("Enter");
  await panel.region.getByRole("checkbox", { name: "Memory 2 stays" }).check();
  await panel.button("Remove memory 1").click();
  await expect(panel.entries("Memory")).toHaveCount(13);
  await expect(panel.field("Memory 1")).toBeFocused();
  for (const number of [15, 16, 17]) await panel.add("Memory", `Shelf ${number} holds the tanks of week ${number}.`);
  const summary = panel.region.getByRole("group", { name: "Summary of the memory" });
  await expect(summary).toContainText("Shelf 3 holds the tanks of week 3.");
  await expect(summary).not.toContainText("Shelf 2 ");
  await expect(panel.entries("Memory")).toHaveCount(6);
  await expect(panel.field("Memory 1")).toHaveValue("Shelf 2 holds the tanks of week 2.");
  expect(await panel.texts("Memory")).toContain("Shelf 14 is empty.");
  expect(await epitome.faults()).toEqual([]);
  expect(epitome.errors).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 360]) {
    test(`e1: the lists are accessible, ${colorScheme}, ${width} pixels wide`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      const { epitome, panel } = await summarized(page);
      await panel.add("Memory", "Be brief.");
      await panel.field("Task 1").fill("A very_long_word_without_a_single_space_".repeat(6));
      await panel.field("Task 1").press("Enter");
      expect(await epitome.faults()).toEqual([]);
      expect(await epitome.overflow()).toBe(0);
      await panel.region.screenshot({ path: `out/page-state-${colorScheme}-${width}.png` });
      await page.emulateMedia({ forcedColors: "active" });
      expect(await epitome.faults()).toEqual([]);
    });
  }
}
