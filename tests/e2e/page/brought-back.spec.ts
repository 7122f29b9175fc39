// A message that a summary has replaced is quoted in the next request again, without an undo of the compaction.

import { expect, type Page, test } from "@playwright/test";
import { validate } from "epitome";
import { type Format, turns, written } from "./move.js";
import { EpitomePage } from "./page.js";

const CODE = "TAMP-58";

/** The compacted sample, with the details of a replaced message open that has the code. */
async function openReplaced(page: Page): Promise<EpitomePage> {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await openFound(page, epitome);
  return epitome;
}

async function openFound(page: Page, epitome: EpitomePage): Promise<void> {
  await page.getByRole("searchbox", { name: "Search the messages" }).fill(CODE);
  await epitome.rows.filter({ hasText: "summarized" }).first().press("Enter");
  await expect(epitome.details).toContainText(CODE);
}

const shown = async (epitome: EpitomePage): Promise<number> => Number(await epitome.meter.getAttribute("aria-valuenow"));

test("a replaced message is brought back as a quote at the end of the request, and taken out again", async ({ page }) => {
  const epitome = await openReplaced(page);
  await page.keyboard.press("Escape");
  const [compacted, tokens] = [await epitome.messages(), await shown(epitome)];
  await openFound(page, epitome);
  await epitome.button("Bring back").click();
  await expect(epitome.button("Take out again")).toBeFocused();
  expect(await epitome.faults()).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(epitome.rows.filter({ hasText: "brought back" })).toHaveCount(1);
  await expect.poll(() => shown(epitome)).toBeGreaterThan(tokens);

  const messages = await epitome.messages();
  expect(messages.slice(0, -1)).toEqual(compacted);
  const last = messages.at(-1);
  expect(last?.role).toBe("user");
  expect(last?.content).toContain("<recalled-messages>");
  expect(last?.content).toContain(CODE);
  expect(last?.content).toContain("not a request");
  await epitome.unfold("The next request");
  await expect(page.getByRole("list", { name: "Steps of the next request" })).toContainText(/Brought back[^]*\+\d/);
  await expect(epitome.undo).toBeVisible();

  await openFound(page, epitome);
  await epitome.button("Take out again").click();
  await expect(epitome.button("Bring back")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(epitome.meter).toHaveAttribute("aria-valuenow", String(tokens));
  expect(await epitome.messages()).toEqual(compacted);
  expect(epitome.errors).toEqual([]);
});

test("what was brought back is there after a reload, and leaves when the compaction is undone", async ({ page }) => {
  const epitome = await openReplaced(page);
  await epitome.button("Bring back").click();
  await page.keyboard.press("Escape");
  await expect(page.getByText("· kept in this browser")).toBeVisible();
  const messages = await epitome.messages();
  await page.reload();
  await epitome.isLoaded("Customer support");
  await expect(epitome.undo).toBeVisible();
  expect(await epitome.messages()).toEqual(messages);
  await epitome.undo.click();
  await expect(epitome.undo).toHaveCount(0);
  const whole = await epitome.messages();
  expect(JSON.stringify(whole)).not.toContain("recalled-messages");
  expect(whole).toEqual(JSON.parse(await epitome.exported("Download the whole history")));
  await epitome.compact();
  await epitome.isCompacted();
  expect(JSON.stringify(await epitome.messages())).not.toContain("recalled-messages");
  expect(epitome.errors).toEqual([]);
});

for (const [format, write] of Object.entries(written) as [Format, (typeof written)[Format]][]) {
  test(`a replaced message of ${format} is brought back in a request that its provider accepts, also after a reload`, async ({ page }) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.load(write(turns(6)).document);
    await epitome.tighten();
    await epitome.compact();
    await epitome.isCompacted();
    const compacted = await epitome.messages();
    await epitome.rows.filter({ hasText: "summarized" }).filter({ hasText: "tool" }).first().press("Enter");
    await epitome.button("Bring back").click();
    await expect(epitome.button("Take out again")).toBeFocused();
    await page.keyboard.press("Escape");
    const messages = await epitome.messages();
    expect((await validate(messages, format)).filter(({ severity }) => severity === "refused")).toEqual([]);
    expect(JSON.stringify(compacted)).not.toContain("<recalled-messages>");
    expect(JSON.stringify(messages)).toMatch(/<recalled-messages>.*inventory line 1 for the/);
    await expect(page.getByText("· kept in this browser")).toBeVisible();
    await page.reload();
    await epitome.isLoaded("written.json");
    expect(await epitome.messages()).toEqual(messages);
    expect(epitome.errors).toEqual([]);
  });
}
