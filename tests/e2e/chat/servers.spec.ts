// The server of the chat: which one, its models, its key, whether it answers, and what is done if it refuses a long request.

import { expect, type Page, test } from "@playwright/test";
import { mockBuiltInModel } from "../built-in-model.js";
import { ChatPage, scripted } from "./chat-page.js";

const verdict = (page: Page) => page.getByRole("dialog", { name: "Settings" }).locator("#verdict");

test("a known server is chosen by its name, and a key goes to no other one", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.button("Settings").click();
  const server = page.getByLabel("Server", { exact: true });
  const baseURL = page.getByLabel("Base URL");
  const model = page.getByLabel("Model", { exact: true });
  const key = page.getByLabel("API key");
  await expect(server).toHaveValue("This page’s server");
  await server.selectOption("Ollama");
  await expect(baseURL).toHaveValue("http://localhost:11434/v1");
  await expect(model).toHaveValue("llama3.2");
  await expect(page.getByText("set OLLAMA_ORIGINS")).toBeVisible();

  await key.fill("secret");
  await baseURL.fill("http://localhost:11434/v2");
  await expect(server).toHaveValue("Another server");
  await expect(key).toHaveValue("secret");
  const window = page.getByLabel("Window in tokens");
  await expect(window).toHaveValue("2000");
  await server.selectOption("OpenAI");
  await expect(window).toHaveValue(/^\d{6,7}$/);
  await expect(page.getByText("This is what gpt-5.4-mini has.")).toBeVisible();
  await expect(key).toHaveValue("");
  await expect(verdict(page)).toHaveText("The key was for another server and is removed.");
  await chat.button("Cancel").click();
  await chat.button("Settings").click();
  await expect(server).toHaveValue("This page’s server");
});

test("a test says whether the server answers, and lists its models", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.button("Settings").click();
  await chat.button("Test").click();
  await expect(verdict(page)).toHaveText("The server has 1 model, and epitome-extractive answers.");
  await page.getByLabel("Base URL").fill(scripted("ok"));
  await expect(verdict(page)).toHaveText("");
  await page.getByLabel("Model", { exact: true }).fill("");
  await chat.button("Test").click();
  await expect(verdict(page)).toHaveText("The server has 1 model. Choose one.");
  await expect(page.locator("#models option")).toHaveAttribute("value", "scripted");
  await page.getByLabel("Model", { exact: true }).fill("scripted");

  for (const [scenario, words] of [["401", /rejects the API key/], ["404-model", /does not have this model/], ["no-cors", /cannot be reached, or does not allow/]] as const) {
    await page.getByLabel("Base URL").fill(scripted(scenario));
    await chat.button("Test").click();
    await expect(verdict(page)).toHaveText(words);
  }
  await page.getByLabel("Base URL").fill(scripted("stall-first-byte"));
  await chat.button("Test").click();
  await expect(verdict(page)).toHaveText("Asking the server …");
  await page.getByLabel("Base URL").fill("/v1");
  await expect(verdict(page)).toHaveText("");
});

test("without a model for it, the summary is made of the messages' own sentences", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  for (let turn = 0; turn < 3; turn += 1) {
    await chat.sendExample();
  }
  await chat.button("Settings").click();
  await page.getByLabel("Base URL").fill(scripted("401"));
  await page.getByLabel("Summaries").selectOption("from the messages’ own sentences, without a model");
  await chat.button("Save").click();
  const asked: string[] = [];
  page.on("request", (request) => request.method() === "POST" && asked.push(request.url()));
  await chat.button("Compact now").click();
  await expect(chat.notices).toHaveCount(1);
  expect(asked).toEqual([]);
});

test("a request that the server refuses as too long is sent again after a compaction", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.change({ "Window in tokens": "100000" });
  for (let turn = 0; turn < 6; turn += 1) {
    await chat.sendExample();
  }
  await expect(chat.notices).toHaveCount(0);
  await chat.button("Settings").click();
  await page.getByLabel("Base URL").fill(scripted("too-long-in-all"));
  await page.getByLabel("Summaries").selectOption("from the messages’ own sentences, without a model");
  await chat.button("Save").click();
  await chat.say("Is everything still there?");
  await expect(chat.notices.first()).toBeVisible();
  await expect(chat.alert).toHaveCount(0);
  await expect(chat.answers()).toHaveCount(7);
  await expect(chat.log.getByRole("note")).toHaveText("The server’s window has 1,024 tokens. The settings have it now.");
  await expect(chat.meter).toHaveAttribute("aria-valuetext", /of 1,024 tokens/);
});

test("a model that the browser has built in answers without a server, and is offered only where there is one", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.button("Settings").click();
  const server = page.getByLabel("Server", { exact: true });
  await expect(server.getByRole("option", { name: /Chrome/ })).toHaveCount(0);

  await mockBuiltInModel(page);
  await page.reload();
  await chat.button("Settings").click();
  await server.selectOption("Chrome’s built-in model");
  await chat.button("Test").click();
  await expect(verdict(page)).toHaveText("The server has 1 model, and built-in answers.");
  await chat.button("Save").click();
  await chat.say("Where do the tulips go?");
  await expect(chat.answers()).toContainText("You said: Where do the tulips go? (1 before)");
});
