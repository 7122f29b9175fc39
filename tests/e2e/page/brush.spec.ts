// The pictures of the conversation: what is chosen in the bars, and how full the window was over time.

import { expect, type Locator, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

const chosen = (page: Page): Locator => page.getByRole("group", { name: "Chosen messages" });
const first = (page: Page): Locator => page.getByRole("slider", { name: "First of the chosen messages" });
const last = (page: Page): Locator => page.getByRole("slider", { name: "Last of the chosen messages" });
const scope = (page: Page): Locator => page.locator("#summarized-by");
const summarized = (page: Page): Locator =>
  page.getByRole("list", { name: "What happens to the messages" }).getByRole("button", { name: /become the summary/ });

/** Drags over the bars, from and to a share of their width. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const picture = page.getByRole("img", { name: /113 messages/ });
  await picture.scrollIntoViewIfNeeded();
  const box = await picture.boundingBox();
  if (box === null) throw new Error("the picture is not on the page");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}

async function open(page: Page): Promise<EpitomePage> {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await expect(chosen(page)).toContainText("Drag over the bars");
  return epitome;
}

test("dragging over the bars chooses messages, and the compaction ends behind the last of them", async ({ page }) => {
  const epitome = await open(page);
  const before = await epitome.messages();
  await drag(page, 0.101, 0.305);
  await expect(chosen(page)).toContainText("Messages 12 to 35 · 24 messages");
  await expect(last(page)).toBeFocused();
  await epitome.button("Compact up to here").click();
  await expect(epitome.button("Compact up to here")).toHaveAttribute("aria-pressed", "true");
  await expect(scope(page)).toContainText("It ends behind message 35.");
  const planned = Number(/\d+/.exec((await summarized(page).textContent()) ?? "")?.[0]);
  expect(planned).toBeLessThanOrEqual(35);
  // The plan follows while the end is dragged on.
  await drag(page, 0.101, 0.501);
  await expect(scope(page)).toContainText("It ends behind message 57.");
  await expect(summarized(page)).not.toContainText(`${planned} `);

  await epitome.compact();
  await epitome.isCompacted();
  await expect(page.getByRole("list", { name: /^Compactions \d/ })).toContainText("messages became the summary");
  await expect(scope(page)).not.toContainText("It ends behind");
  await expect(chosen(page)).toContainText("Drag over the bars");
  const text = JSON.stringify(await epitome.messages());
  for (const message of before.slice(57)) expect(text).toContain(JSON.stringify(message));
  expect((await epitome.messages()).length).toBeGreaterThanOrEqual(113 - 57);
  expect(epitome.errors).toEqual([]);
});

test("messages are chosen by the keyboard alone, and a reader hears which", async ({ page }) => {
  const epitome = await open(page);
  await expect(first(page)).toHaveAttribute("aria-valuetext", "message 1, none is chosen");
  await last(page).focus();
  await page.keyboard.press("Home");
  for (let steps = 0; steps < 9; steps += 1) await page.keyboard.press("ArrowRight");
  await expect(last(page)).toHaveAttribute("aria-valuetext", "message 10");
  await first(page).focus();
  await page.keyboard.press("PageUp");
  await expect(first(page)).toHaveAttribute("aria-valuetext", "message 10");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(chosen(page)).toContainText("Messages 8 to 10 · 3 messages");
  await page.keyboard.press("Escape");
  await expect(chosen(page)).toContainText("Drag over the bars");
  await expect(first(page)).toBeFocused();
  expect(await epitome.faults()).toEqual([]);
});

test("in a page from right to left the first message is on the right", async ({ page }) => {
  await page.goto("/he.html");
  const field = page.locator("#strip-field");
  await field.scrollIntoViewIfNeeded();
  const box = await field.boundingBox();
  if (box === null) throw new Error("the picture is not on the page");
  await page.mouse.move(box.x + box.width - 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 40);
  await page.mouse.up();
  const handle = page.locator("#strip-first");
  await expect(handle).toHaveAttribute("aria-valuenow", "1");
  await page.locator("#strip-last").focus();
  const now = Number(await page.locator("#strip-last").getAttribute("aria-valuenow"));
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator("#strip-last")).toHaveAttribute("aria-valuenow", String(now + 1));
});

test("chosen messages are pinned together, and unpinned", async ({ page }) => {
  const epitome = await open(page);
  await drag(page, 0.101, 0.151);
  await expect(chosen(page)).toContainText("Messages 12 to 18 · 7 messages");
  await epitome.button("List them").click();
  await expect(epitome.rows).toHaveCount(7);
  await expect(page.getByRole("region", { name: "Messages" })).toContainText("7 messages, chosen in the picture");
  await epitome.button("Pin").click();
  await expect(epitome.button("Pin")).toHaveAttribute("aria-pressed", "true");
  for (const row of await epitome.rows.all()) await expect(row).toContainText("pinned");
  await epitome.button("Pin").click();
  await expect(epitome.button("Pin")).toHaveAttribute("aria-pressed", "false");
  for (const row of await epitome.rows.all()) await expect(row).not.toContainText("pinned");
  await epitome.button("Choose none").click();
  await expect(last(page)).toBeFocused();
  await expect(page.getByRole("button", { name: "Show all messages" })).toBeHidden();
  expect(epitome.errors).toEqual([]);
});

test("what is exempt is left as it is by the next compaction alone", async ({ page }) => {
  const epitome = await open(page);
  await drag(page, 0.101, 0.151);
  await epitome.button("Exempt once").click();
  await expect(scope(page)).toContainText("Exempt: 7 messages.");
  await epitome.button("List them").click();
  for (const row of await epitome.rows.all()) await expect(row).toContainText("exempt");
  const kept = await epitome.rows.allTextContents();
  await page.getByRole("button", { name: "Show all messages" }).click();
  const before = await epitome.messages();
  await epitome.compact();
  await epitome.isCompacted();
  await expect(scope(page)).not.toContainText("Exempt");
  const after = (await epitome.messages()).map((message) => JSON.stringify(message));
  for (const message of before.slice(11, 18)) expect(after).toContain(JSON.stringify(message));
  expect(kept).toHaveLength(7);
  // The settings decide again.
  await page.getByLabel("Window of the model").fill("4000");
  await epitome.compact();
  await expect(page.getByRole("list", { name: /^Compactions \d/ }).getByRole("listitem")).toHaveCount(2);
  const then = (await epitome.messages()).map((message) => JSON.stringify(message));
  expect(before.slice(11, 18).every((message) => then.includes(JSON.stringify(message)))).toBe(false);
});

test("a message is exempt, or the end, from its details too, and one press leaves both to the settings", async ({ page }) => {
  const epitome = await open(page);
  await epitome.rows.nth(20).click();
  await epitome.details.getByRole("button", { name: "Exempt once" }).click();
  await epitome.details.getByRole("button", { name: "Compact up to here" }).click();
  await expect(epitome.details.getByRole("button", { name: "Compact up to here" })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Escape");
  await expect(scope(page)).toContainText("It ends behind message 21. Exempt: 1 message.");
  await page.getByRole("button", { name: "Leave it to the settings" }).click();
  await expect(scope(page)).not.toContainText("message 21");
  await expect(epitome.button("Compact now")).toBeFocused();
});

test("the fill over time falls where each compaction was, with its cause, and shows what it changed", async ({ page }) => {
  const epitome = await open(page);
  const chart = page.getByRole("img", { name: /^It has grown to [\d,]+ tokens without a compaction$/ });
  await expect(chart).toBeVisible();
  await epitome.compact();
  await epitome.isCompacted();
  const falls = page.getByRole("list", { name: "Fill over time" });
  await expect(falls.getByRole("listitem")).toHaveCount(1);
  await expect(falls).toContainText(/Manual.*→.*\(−\d+ %\).*after 113 messages/);
  const said = await page.getByRole("list", { name: /^Compactions \d/ }).textContent();
  const tokens = /[\d,]+ → [\d,]+/.exec((await falls.textContent()) ?? "")?.[0] ?? "none";
  expect(said).toContain(tokens);
  await expect(page.getByRole("img", { name: /^It was [\d,]+ tokens at most, and is [\d,]+ tokens after 1 compaction$/ })).toBeVisible();
  await falls.getByRole("button").click();
  await expect(page.getByRole("dialog", { name: "Compaction 1" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(falls.getByRole("button")).toBeFocused();
  await epitome.undo.click();
  await expect(falls).toBeHidden();
  await expect(chart).toBeVisible();
  expect(await epitome.faults()).toEqual([]);
});

for (const reducedMotion of ["no-preference", "reduce"] as const) {
  test(`messages flow into the summary unless motion is reduced: ${reducedMotion}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion });
    const epitome = await open(page);
    await page.evaluate(() => {
      const begun: string[] = [];
      Object.assign(window, { begun });
      document.addEventListener("animationstart", ({ animationName }) => begun.push(animationName));
    });
    const begun = () => page.evaluate(() => (window as unknown as { begun: string[] }).begun);
    await epitome.compact();
    await epitome.isCompacted();
    await expect(page.getByRole("list", { name: "Fill over time" })).toBeVisible();
    if (reducedMotion === "reduce") {
      expect(await begun()).not.toContain("flow-into-summary");
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    } else {
      await expect.poll(begun).toContain("flow-into-summary");
      await expect(page.locator(".strip-flow")).toHaveCount(0);
    }
    expect(epitome.errors).toEqual([]);
  });
}
