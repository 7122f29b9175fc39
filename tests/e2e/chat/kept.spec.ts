// Conversations are kept in the browser, listed, and searched.

import { expect, test } from "@playwright/test";
import { ChatPage } from "./chat-page.js";

test("a conversation is there again after a reload, and the list has it beside a new one", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.fill();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const articles = chat.log.getByRole("article");
  const texts = await articles.allTextContents();
  await page.reload();
  await expect(articles).toHaveText(texts);
  const { hash } = new URL(page.url());
  await chat.button("Conversations").click();
  await page.getByRole("link", { name: "New conversation" }).click();
  await expect(articles).toHaveCount(0);
  await chat.button("Conversations").click();
  await page.getByRole("link", { name: decodeURIComponent(hash.slice(1)) }).click();
  await expect(articles).toHaveText(texts);
});

test("what the model does not get any more is found", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.fill();
  await chat.button("Conversations").click();
  await page.getByRole("searchbox").fill("demo endpoint");
  await chat.button("Find").click();
  await expect(page.getByRole("dialog").getByText(/^assistant: .*endpoint/).first()).toBeVisible();
  expect(await chat.faults()).toEqual([]);
});
