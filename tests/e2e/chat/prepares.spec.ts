// The next summary is written in advance, and the meter of the chat shows it.

import { expect, type Page, test } from "@playwright/test";
import { ChatPage } from "./chat-page.js";

/** Holds back requests for summaries until the returned function is called, and counts them. */
async function held(page: Page): Promise<{ release(): void; count(): number }> {
  let count = 0;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/chat/completions", async (route) => {
    const { messages } = route.request().postDataJSON() as { messages: { content: string }[] };
    if (messages[0]?.content.startsWith("You are a helpful assistant.") !== true) {
      count += 1;
      await released;
    }
    await route.continue();
  });
  return { release: () => release(), count: () => count };
}

/** Sends examples until a meter is at the point from which on a summary is written in advance, and before one is due. */
async function fill(chat: ChatPage, meter: ChatPage["meter"]): Promise<void> {
  for (let turn = 0; turn < 12 && Number(await meter.getAttribute("aria-valuenow")) < 0.6 * 4_000; turn += 1) {
    await chat.sendExample();
  }
}

test("k9: the meter of the chat shows that the next summary is being written, that it is ready, and what it will free", async ({ page }) => {
  const chat = new ChatPage(page);
  const summaries = await held(page);
  await chat.open();
  await chat.change({ "Window in tokens": "4000" });
  await fill(chat, chat.meter);
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /, next summary being written, frees about [\d,]+ tokens$/);
  await expect(chat.message).toBeEnabled();
  expect(await chat.faults()).toEqual([]);
  summaries.release();
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /, next summary ready, frees about [\d,]+ tokens$/);
  await expect(page.getByText(/^next summary ready, frees about [\d,]+ tokens$/)).toBeVisible();
  await expect(chat.notices).toHaveCount(0);
  const full = Number(await chat.meter.getAttribute("aria-valuenow"));
  await chat.button("Compact now").click();
  await expect(chat.log.getByText(/^The summary was written in advance: you waited [\d,.]+ m?s for it\.$/)).toBeVisible();
  expect(summaries.count()).toBe(1);
  expect(Number(await chat.meter.getAttribute("aria-valuenow"))).toBeLessThan(full);
  await expect(chat.meter).not.toHaveAttribute("aria-valuetext", /next summary/);
});

test("k9: the meter of an agent of the chat shows its own next summary, and that of the model does not", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.change({ "Window in tokens": "4000" });
  await chat.addAgent("critic", "You look for what can go wrong.");
  await chat.answeredBy.selectOption("critic");
  await fill(chat, chat.meterOf("critic"));
  await expect(chat.meterOf("critic")).toHaveAttribute("aria-valuetext", /next summary ready/);
  await expect(chat.meter).not.toHaveAttribute("aria-valuetext", /next summary/);
  await chat.button("Compact for critic").click();
  await expect(chat.log.getByText(/^The summary was written in advance/)).toBeVisible();
  await expect(chat.meterOf("critic")).not.toHaveAttribute("aria-valuetext", /next summary/);
});

test("k9: with the setting off, the chat writes no summary in advance, also after a reload", async ({ page }) => {
  const chat = new ChatPage(page);
  const summaries = await held(page);
  summaries.release();
  await chat.open();
  const setting = page.getByRole("checkbox", { name: "Write the next summary in advance" });
  await chat.button("Settings").click();
  await expect(setting).toBeChecked();
  await setting.uncheck();
  await page.getByLabel("Window in tokens").fill("4000");
  await chat.button("Save").click();
  await page.reload();
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /of 4,000 tokens/);
  await chat.button("Settings").click();
  await expect(setting).not.toBeChecked();
  await page.keyboard.press("Escape");
  await fill(chat, chat.meter);
  await expect(chat.meter).toHaveAttribute("aria-valuetext", / 6\d %$/);
  expect(summaries.count()).toBe(0);
  await chat.button("Compact now").click();
  await expect(chat.log.getByText(/^You waited [\d,.]+ m?s for it\.$/)).toBeVisible();
  expect(summaries.count()).toBe(1);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`k9: axe finds no faults while a summary is ready, ${colorScheme}, 390 pixels wide`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 760 });
    const chat = new ChatPage(page);
    await chat.open();
    await chat.change({ "Window in tokens": "4000" });
    await fill(chat, chat.meter);
    await expect(chat.meter).toHaveAttribute("aria-valuetext", /next summary ready/);
    expect(await chat.faults()).toEqual([]);
    expect(await chat.overflow()).toBe(0);
    await page.screenshot({ path: `out/chat-${colorScheme}-390-prepared.png` });
  });
}
