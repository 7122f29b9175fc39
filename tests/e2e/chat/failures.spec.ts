// The chat page explains failures, and can still be used afterwards.

import { expect, test } from "@playwright/test";
import { ChatPage, scripted } from "./chat-page.js";

const cases: [scenario: string, words: RegExp][] = [
  ["401", /rejects the API key/],
  ["404-model", /does not have this model/],
  ["503", /server failed/],
  ["cut", /ended in the middle|cannot be reached|network/i],
  ["error-in-stream", /stopped midway/],
  ["not-json", /not a chat completion/],
  ["empty", /without any text/],
  ["no-cors", /cannot be reached, or does not allow/],
];

for (const [scenario, words] of cases) {
  test(`${scenario} is explained, and can be tried again`, async ({ page }) => {
    const chat = new ChatPage(page);
    await chat.open();
    await chat.change({ "Base URL": scripted(scenario) });
    await chat.say("Hello?");
    await expect(chat.alert).toContainText(words);
    await chat.change({ "Base URL": "/v1" });
    await chat.button("Try again").click();
    await chat.idle();
    await expect(chat.alert).toHaveCount(0);
    await expect(chat.answers().last()).toContainText("demo endpoint");
  });
}

test("an answer can be stopped, and its text so far stays", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open(18432);
  await chat.message.fill("Tell me about the tulips.");
  await chat.message.press("Enter");
  await expect(chat.answers()).toContainText("This is");
  await chat.stop.click();
  await chat.idle();
  const text = await chat.answers().locator(".text").textContent();
  await expect(chat.alert).toHaveCount(0);
  await chat.say("Go on.");
  await expect(chat.answers()).toHaveCount(2);
  expect(await chat.answers().first().locator(".text").textContent()).toBe(text);
});

test("a failed compaction leaves the conversation unchanged", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.sendExample();
  await chat.sendExample();
  await chat.sendExample();
  await chat.change({ "Base URL": scripted("401") });
  await chat.button("Compact now").click();
  await expect(chat.alert).toContainText("could not be compacted");
  await expect(chat.log.locator("article.past")).toHaveCount(0);
  await chat.change({ "Base URL": "/v1" });
  await chat.button("Compact now").click();
  await expect(chat.notices).toHaveCount(1);
});

test("a compaction can be stopped", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.sendExample();
  await chat.sendExample();
  await chat.sendExample();
  await chat.change({ "Base URL": scripted("slow/chat-page") });
  await chat.button("Compact now").click();
  await chat.stop.click();
  await expect(chat.log.getByRole("note")).toContainText("was stopped");
  await expect(chat.log.locator("article.past")).toHaveCount(0);
});
