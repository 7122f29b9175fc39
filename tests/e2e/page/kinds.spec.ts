// What fills the window by kinds: pinned messages, reasoning and images have segments of their own, and what no compaction removes.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

/** A PNG of 1,024 × 768 pixels, as far as its header says. */
function picture(): string {
  const header = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const size = Buffer.alloc(8);
  size.writeUInt32BE(1024, 0);
  size.writeUInt32BE(768, 4);
  return Buffer.concat([header, size, Buffer.from("0806000000", "hex"), Buffer.alloc(400)]).toString("base64");
}

const DOCUMENT = [
  { role: "user", content: "How wide is the corridor on this plan?" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "The plan has a scale of 1:50 in its corner. ".repeat(30), signature: "c2lnbmF0dXJl" },
      { type: "text", text: "It is 1.8 m wide." },
    ],
  },
  {
    role: "user",
    content: [
      { type: "text", text: "And here?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: picture() } },
    ],
  },
  { role: "assistant", content: "2.4 m." },
  { role: "user", content: "Never go below 1.5 m." },
];

test("pinned messages, reasoning and images fill the window by themselves, and limit the list", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(DOCUMENT);
  const legend = page.getByRole("list", { name: "What fills the window, in tokens" });
  const number = async (name: RegExp): Promise<number> => {
    const text = (await legend.getByRole("button", { name }).textContent()) ?? "";
    return Number(/[\d,]+/.exec(text)?.[0].replace(",", ""));
  };
  // 1,024 × 768 ÷ 750, as Anthropic counts.
  expect(await number(/^Images/)).toBeGreaterThan(900);
  expect(await number(/^Reasoning/)).toBeGreaterThan(250);
  await expect(legend.getByRole("button", { name: /^Pinned/ })).toHaveCount(0);
  await legend.getByRole("button", { name: /^Images/ }).click();
  await expect(epitome.rows).toHaveCount(1);
  await expect(epitome.rows.first()).toContainText("And here?");
  await expect(page.getByRole("region", { name: "Messages" })).toContainText("1 message with images");
  await legend.getByRole("button", { name: /^Reasoning/ }).click();
  await expect(epitome.rows.first()).toContainText("scale of 1:50");
  await page.getByRole("button", { name: "Show all messages" }).click();

  const before = await number(/^User/);
  await epitome.rows.last().click();
  await epitome.button("Pin").click();
  await page.keyboard.press("Escape");
  const pinned = await number(/^Pinned/);
  expect(pinned).toBeGreaterThan(4);
  expect(before - (await number(/^User/))).toBe(pinned);
  await legend.getByRole("button", { name: /^Pinned/ }).click();
  await expect(epitome.rows).toHaveCount(1);
  await expect(page.getByText(/^The floor is what no compaction removes: .*together [\d,]+ tokens\./)).toBeVisible();
  await expect(page.getByText(/^floor \d+$/)).toBeVisible();
  expect(await epitome.faults()).toEqual([]);
});
