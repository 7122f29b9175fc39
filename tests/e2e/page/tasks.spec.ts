// From task to task of a workflow: a completed one is summarized, by each agent for itself or by one for all.

import { expect, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

async function complete(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: "Name of the task" }).fill(name);
  await page.getByRole("button", { name: "Complete the task" }).click();
}

/** The lanes of agents whose next compaction is a task transition. */
const due = (page: Page) => page.getByRole("region", { name: "Who sees what" }).getByText("task completed", { exact: true });

test("f3: a completed task is listed, and the next compaction of each agent is its transition", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  await page.getByText("Tasks of the workflow").click();
  await expect(due(page)).toHaveCount(0);
  await complete(page, "Review");
  const notice = page.getByText("The next compaction is a task transition: it summarizes this task of 57 messages.");
  await expect(notice).toBeVisible();
  await expect(due(page)).toHaveCount(5);
  const tasks = page.getByRole("list", { name: "Completed tasks" }).getByRole("listitem");
  await expect(tasks).toHaveText([/^Review\s*57 messages$/]);
  await expect(page.getByLabel("Reason", { exact: true }).locator("option:checked")).toHaveText("Task completed");

  await epitome.button("Compact for iris").click();
  await expect(page.getByRole("img", { name: /^iris: .* in its summary/ })).toBeVisible();
  await expect(due(page)).toHaveCount(4);
  await expect(notice).toBeVisible();

  await epitome.compact();
  await epitome.isCompacted();
  await expect(notice).toHaveCount(0);
  await expect(tasks).toHaveText([/^Review\s*57 messages\s*summarized$/]);
  await expect(due(page)).toHaveCount(4);
  const roles = (await epitome.messages()).map(({ role }) => role);
  expect(roles.length).toBeLessThan(5);
  expect((await epitome.events()).join("\n")).toContain("Task completed: Review.");

  await expect(page.getByText("· kept in this browser")).toBeVisible();
  await page.reload();
  await epitome.isLoaded("A design review");
  await page.getByText("Tasks of the workflow").click();
  await expect(tasks).toHaveText([/^Review\s*57 messages\s*summarized$/]);
  await expect(due(page)).toHaveCount(4);
  expect(epitome.errors).toEqual([]);
});

test("f5: one agent summarizes a completed task, and the others take that over", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  await page.getByText("Tasks of the workflow").click();
  await page.getByLabel("Who summarizes it").selectOption("mara, for all");
  await complete(page, "Review");
  await expect(page.getByText("Its summary is for all agents.")).toBeVisible();
  await expect(due(page)).toHaveCount(0);
  await epitome.compact();
  await epitome.isCompacted();
  await expect(due(page)).toHaveCount(5);
  const summary = (await epitome.messages()).map(({ content }) => String(content)).find((text) => text.includes("<conversation-summary")) ?? "";
  const lines = summary.split("\n").filter((line) => line.length > 40);
  expect(lines.length).toBeGreaterThan(3);
  await epitome.button("Compact for iris").click();
  await expect(due(page)).toHaveCount(4);
  await epitome.button("Read what iris gets").click();
  const view = page.getByRole("dialog").getByRole("region");
  for (const line of lines.slice(1, 4)) await expect(view).toContainText(line.trim());
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`f3: axe finds no faults in tasks, ${colorScheme}, on a phone, by keyboard alone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 800 });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.openSample("A design review");
    await page.locator("summary").filter({ hasText: "Tasks of the workflow" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(page.getByLabel("Who summarizes it")).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").filter({ hasText: "Name the task first." })).toBeAttached();
    await expect(page.getByRole("textbox", { name: "Name of the task" })).toBeFocused();
    await page.keyboard.type("Review");
    await page.keyboard.press("Enter");
    await expect(page.getByText("The next compaction is a task transition")).toBeVisible();
    expect(await epitome.faults()).toEqual([]);
    expect(await epitome.overflow()).toBe(0);
    await page.getByText("Tasks of the workflow").scrollIntoViewIfNeeded();
    await page.screenshot({ path: `out/page-tasks-${colorScheme}-390.png` });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByText("Tasks of the workflow").scrollIntoViewIfNeeded();
    await page.screenshot({ path: `out/page-tasks-${colorScheme}-1280.png` });
  });
}
