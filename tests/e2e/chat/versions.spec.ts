// Other versions of messages: answered again, sent in other words, and branches between which one goes back and forth.

import { expect, type Locator, test } from "@playwright/test";
import { ChatPage, scripted } from "./chat-page.js";

const versionsOf = (message: Locator): Locator => message.getByRole("group", { name: "Versions" });

test("an answer is written again, and each of its versions is shown, also after a reload", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go?");
  const first = await chat.answers().locator(".text").textContent();
  await chat.button("Answer again").click();
  await chat.idle();
  await expect(chat.answers()).toHaveCount(1);
  await expect(versionsOf(chat.answers())).toContainText("2 of 2");
  await expect(chat.message).toBeFocused();

  await chat.button("Earlier version").focus();
  await page.keyboard.press("Enter");
  await expect(versionsOf(chat.answers())).toContainText("1 of 2");
  await expect(chat.button("Later version")).toBeFocused();
  await expect(chat.answers().locator(".text")).toHaveText(first ?? "");
  await expect(chat.button("Earlier version")).toBeDisabled();
  await chat.say("And the roses?");
  await expect(chat.answers()).toHaveCount(2);
  await page.getByText("Saved", { exact: true }).waitFor();

  await page.reload();
  await expect(chat.answers()).toHaveCount(2);
  await expect(versionsOf(chat.answers().first())).toContainText("1 of 2");
  await chat.button("Later version").click();
  await expect(chat.answers()).toHaveCount(1);
  await expect(chat.log.getByRole("article")).toHaveCount(2);
  await chat.button("Earlier version").click();
  await expect(chat.log.getByRole("article")).toHaveCount(4);
});

test("what the user has said is sent in other words, and the model gets only these", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go?");
  await chat.say("And the roses?");
  const mine = chat.log.getByRole("article").filter({ hasText: /^You/ });
  await mine.first().getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "Your message in other words" });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("Where do the tulips go?");
  await page.keyboard.press("Escape");
  await expect(field).toHaveCount(0);
  await expect(mine.first().getByRole("button", { name: "Edit" })).toBeFocused();

  await page.keyboard.press("Enter");
  await field.fill("Where do the daffodils go?");
  const asking = page.waitForRequest((request) => request.method() === "POST");
  await field.press("Enter");
  const { messages } = (await asking).postDataJSON() as { messages: { content: string }[] };
  expect(messages.map(({ content }) => content).slice(1)).toEqual(["Where do the daffodils go?"]);
  await chat.idle();
  await expect(chat.log.getByRole("article")).toHaveCount(2);
  await expect(chat.message).toBeFocused();

  await expect(versionsOf(mine.first())).toContainText("2 of 2");
  await mine.first().getByRole("button", { name: "Earlier version" }).click();
  await expect(mine).toHaveText([/Where do the tulips go\?/, /And the roses\?/]);
});

test("an answer that fails or is stopped takes nothing from the one before", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go?");
  await chat.change({ "Base URL": scripted("500") });
  await chat.button("Answer again").click();
  await expect(chat.alert).toContainText("The server failed.");
  await expect(chat.answers()).toHaveCount(0);
  await chat.button("Show the answer before").click();
  await expect(chat.answers()).toHaveCount(1);
  await expect(chat.alert).toHaveCount(0);
  await expect(versionsOf(chat.answers())).toHaveCount(0);

  await chat.change({ "Base URL": scripted("stall-first-byte") });
  await chat.button("Answer again").click();
  await expect(chat.answers()).toHaveCount(0);
  await chat.stop.click();
  await expect(chat.answers()).toHaveCount(1);
  await expect(chat.button("Answer again")).toBeVisible();

  await chat.change({ "Base URL": scripted("500") });
  await chat.button("Answer again").click();
  await chat.change({ "Base URL": "/v1" });
  await chat.button("Try again").click();
  await expect(versionsOf(chat.answers())).toContainText("2 of 2");
});

test("a compaction holds on the branch that it is about, and is in force again with it", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go?");
  await chat.fill();
  const past = chat.log.locator("article.past");
  const compacted = await past.count();
  expect(compacted).toBeGreaterThan(2);
  const mine = chat.log.getByRole("article").filter({ hasText: /^You/ });
  await mine.first().getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Your message in other words" }).fill("Where do the daffodils go?");
  await page.getByRole("textbox", { name: "Your message in other words" }).press("Enter");
  await chat.idle();
  await expect(past).toHaveCount(0);
  await expect(chat.button("Undo")).toHaveCount(0);
  await mine.first().getByRole("button", { name: "Earlier version" }).click();
  await expect(past).toHaveCount(compacted);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds no faults beside versions, ${colorScheme}, 390 pixels wide`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 760 });
    const chat = new ChatPage(page);
    await chat.open();
    await chat.say("Where do the tulips go?");
    await chat.button("Answer again").click();
    await chat.idle();
    expect(await chat.faults()).toEqual([]);
    await page.screenshot({ path: `out/chat-versions-${colorScheme}.png` });
    await chat.button("Edit").click();
    expect(await chat.faults()).toEqual([]);
    expect(await chat.overflow()).toBe(0);
    await page.screenshot({ path: `out/chat-reword-${colorScheme}.png` });
  });
}
