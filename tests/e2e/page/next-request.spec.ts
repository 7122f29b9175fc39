// The next request, step by step: the conversation, the context that is typed for it, and the compaction that is due.

import { expect, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

const PARTS = ["Identity", "Date", "Memory", "Knowledge", "Skills", "Workspace"] as const;

/** The tokens of the steps, in order, by their names. */
async function steps(page: Page): Promise<Map<string, number>> {
  const rows = await page.getByRole("list", { name: "Steps of the next request" }).getByRole("listitem").allInnerTexts();
  return new Map(
    rows.map((row) => {
      const [name = ""] = row.split("\n");
      const tokens = row.match(/([~+−]*)([\d,]+)\s+tokens/);
      return [name.trim(), Number(tokens?.[2]?.replaceAll(",", "")) * (tokens?.[1]?.includes("−") ? -1 : 1)] as const;
    }),
  );
}

const shown = async (epitome: EpitomePage): Promise<number> => Number(await epitome.meter.getAttribute("aria-valuenow"));

test("g2: the context that is typed for the next request is counted in the meter, part by part, and never stored", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const messages = await epitome.messages();
  const before = await shown(epitome);
  await epitome.unfold("The next request");
  for (const part of PARTS) await expect(page.getByRole("textbox", { name: part, exact: true })).toHaveValue("");
  await page.getByRole("textbox", { name: "Date", exact: true }).fill("It is Friday, 27 November.");
  await page.getByRole("textbox", { name: "Workspace", exact: true }).fill("src/main.rs is open. ".repeat(20));
  await expect.poll(async () => (await steps(page)).get("Workspace")).toBeGreaterThan(0);
  await expect(page.getByRole("list", { name: "What fills the window, in tokens" })).toContainText("Context of the request");

  const counted = await steps(page);
  expect([...counted.keys()]).toEqual(["The conversation", "Transforms", ...PARTS, "Counted", "Reducers", "Triggers", "The request"]);
  expect(counted.get("The conversation")).toBe(before);
  expect(counted.get("Identity")).toBe(0);
  expect(counted.get("Date")).toBeGreaterThan(0);
  expect(counted.get("Workspace")).toBeGreaterThan(counted.get("Date") ?? Number.NaN);
  const sum = before + PARTS.reduce((total, part) => total + (counted.get(part) ?? Number.NaN), 0);
  expect(counted.get("Counted")).toBe(sum);
  expect(await shown(epitome)).toBe(sum);
  expect(await epitome.messages()).toEqual(messages);

  await page.getByRole("textbox", { name: "Date", exact: true }).fill("");
  await page.getByRole("textbox", { name: "Workspace", exact: true }).fill("");
  await expect(epitome.meter).toHaveAttribute("aria-valuenow", String(before));
});

test("g1: a compaction that the context makes due comes before the request, which is as large as the steps add up to", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.settle({ window: 8_000, triggers: [{ tokens: 7_500 }] });
  await epitome.unfold("The next request");
  const list = page.getByRole("list", { name: "Steps of the next request" });
  await expect(list).toContainText("nothing due");
  const before = await shown(epitome);
  await page.getByRole("textbox", { name: "Memory", exact: true }).fill("They prefer short answers. ".repeat(120));
  await expect(list).toContainText("due: threshold");
  const counted = await steps(page);
  const taken = (counted.get("Reducers") ?? Number.NaN) + (counted.get("Triggers") ?? Number.NaN);
  expect(taken).toBeLessThan(0);
  expect(counted.get("Counted")).toBe(before + (counted.get("Memory") ?? Number.NaN));
  expect(counted.get("The request")).toBe((counted.get("Counted") ?? Number.NaN) + taken);

  await epitome.check("turn start");
  await epitome.isCompacted();
  await expect(list).toContainText("nothing due");
  const after = await steps(page);
  expect(after.get("Memory")).toBe(counted.get("Memory"));
  expect(after.get("The request")).toBe(await shown(epitome));
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`g2: axe finds no faults in the next request, ${colorScheme}, on a phone, by keyboard alone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 800 });
    const epitome = new EpitomePage(page);
    await epitome.open();
    const summary = page.locator("summary").filter({ hasText: "The next request" });
    await summary.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await expect(page.getByRole("textbox", { name: "Identity", exact: true })).toBeFocused();
    await page.keyboard.type("Acme, Mara");
    await expect(page.getByRole("list", { name: "Steps of the next request" })).toContainText(/\+\d/);
    await expect(page.getByRole("textbox", { name: "Identity", exact: true })).toBeFocused();
    expect(await epitome.faults()).toEqual([]);
    expect(await epitome.overflow()).toBe(0);
    await summary.scrollIntoViewIfNeeded();
    await page.screenshot({ path: `out/page-next-request-${colorScheme}-390.png` });
    await page.setViewportSize({ width: 1280, height: 900 });
    await summary.scrollIntoViewIfNeeded();
    await page.screenshot({ path: `out/page-next-request-${colorScheme}-1280.png` });
  });
}
