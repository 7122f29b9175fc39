// Chatting, and compaction when the window is full.

import { expect, test } from "@playwright/test";
import { ChatPage } from "./chat-page.js";

test("an answer arrives, and the meter shows it", async ({ page }) => {
  const chat = new ChatPage(page);
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await chat.open();
  const before = await chat.meter.getAttribute("aria-valuenow");
  await chat.say("Where do the tulips go this year?");
  await expect(chat.answers()).toHaveCount(1);
  await expect(chat.answers()).toContainText("demo endpoint");
  await expect(chat.message).toBeFocused();
  expect(Number(await chat.meter.getAttribute("aria-valuenow"))).toBeGreaterThan(Number(before));
  expect(problems).toEqual([]);
});

test("a full window is compacted automatically, reported in one line, and undone", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.fill();
  const line = /^Compacted \d+ messages, [\d.]+k? → [\d.]+k? tokens \(−\d+ %\)$/;
  await expect(chat.notices).toHaveText(line);
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /^ok, /);
  const past = chat.log.locator("article.past");
  expect(await past.count()).toBeGreaterThan(3);

  const summary = chat.log.locator(".summary-text");
  await expect(summary).toBeHidden();
  await chat.notices.focus();
  await page.keyboard.press("Enter");
  await expect(summary).toBeVisible();
  await expect(summary).toContainText("Harbour Road");

  await chat.button("Undo").click();
  await expect(chat.notices).toHaveText(/^Undone: Compacted/);
  await expect(past).toHaveCount(0);
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /^full, /);
  await expect(chat.button("Undo")).toHaveCount(0);
});

test("the conversation continues over several compactions", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.fill();
  for (let turn = 0; turn < 12 && (await chat.notices.count()) < 2; turn += 1) {
    await chat.sendExample();
  }
  await expect(chat.notices).toHaveCount(2);
  await expect(chat.button("Undo")).toHaveCount(1);
  await chat.say("Is everything still there?");
  await expect(chat.alert).toHaveCount(0);
});

test("a user may compact early, and is informed if there is nothing to do", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.button("Compact now").click();
  await expect(chat.log.getByRole("note")).toContainText("Nothing was compacted");
});

test("a larger window takes effect at once", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.change({ "Window in tokens": "128000" });
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /of 128,000 tokens/);
  await page.reload();
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /of 128,000 tokens/);
});
