// Agents in the chat: each answers from its own view, has a lane, and compacts on its own.

import { expect, type Page, test } from "@playwright/test";
import { ChatPage, scripted } from "./chat-page.js";

const DOUBTS = "You look for what can go wrong.";
const PLANS = "You write plans in three steps.";

/** A conversation with a critic and a planner and a public answer, in which the next message is for the critic alone. */
async function toTheCritic(page: Page): Promise<ChatPage> {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("We move the office in March.");
  await chat.addAgent("critic", DOUBTS);
  await chat.addAgent("planner", PLANS);
  await chat.onlyFor("critic").check();
  return chat;
}

/** A conversation with a critic and a planner, a public answer, and a private one of the critic; and then so many examples. */
async function team(page: Page, examples = 0): Promise<ChatPage> {
  const chat = await toTheCritic(page);
  await chat.say("The budget is SECRET-4711.");
  await chat.onlyFor("critic").uncheck();
  for (let count = 0; count < examples; count += 1) {
    await chat.sendExample();
  }
  return chat;
}

const lane = (page: Page, name: string) => page.getByRole("list", { name: "Who sees what" }).getByRole("listitem").filter({ has: page.getByRole("button", { name: `Mark what ${name} sees` }) });

test("f1: without agents the chat has no lanes, and asks nobody whom a message is for", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("One.");
  await expect(page.getByRole("region", { name: "Who sees what" })).toBeHidden();
  await expect(chat.answeredBy).toBeHidden();
  await expect(page.getByRole("meter")).toHaveCount(1);
});

test("f1: an agent of the chat answers from its own view, and a private message is in no other request", async ({ page }) => {
  const chat = await toTheCritic(page);
  // Nobody else gets the message, so nobody else can answer it.
  await expect(chat.answeredBy).toHaveValue("critic");
  const critic = await chat.asked("The budget is SECRET-4711.");
  expect(critic.map(({ role, content }) => [role, content.slice(0, 26)])).toEqual([
    ["system", "You are a helpful assistan"],
    ["system", DOUBTS.slice(0, 26)],
    ["user", "We move the office in Marc"],
    ["user", expect.stringMatching(/^Model: /)],
    ["user", "The budget is SECRET-4711."],
  ]);
  await expect(chat.authors).toHaveText(["You", "Model", "You · only for critic", "critic · only for critic"]);
  await chat.onlyFor("critic").uncheck();
  await chat.answeredBy.selectOption("planner");
  const planner = await chat.asked("What is the first step?");
  expect(JSON.stringify(planner)).not.toContain("SECRET");
  expect(planner[1]).toEqual({ role: "system", content: PLANS });
  await chat.answeredBy.selectOption("Model");
  const model = await chat.asked("And what do you say?");
  expect(JSON.stringify(model)).not.toMatch(/SECRET|go wrong|three steps/);
  expect(model.some(({ role, content }) => role === "user" && content.startsWith("planner: "))).toBe(true);
  await expect(chat.authors).toHaveText(["You", "Model", "You · only for critic", "critic · only for critic", "You", "planner", "You", "Model"]);
});

test("f1: a message of the chat is for several agents, or is answered by nobody, and an agent answers what it has seen last", async ({ page }) => {
  const chat = await team(page);
  await chat.onlyFor("critic").check();
  await chat.onlyFor("planner").check();
  await chat.answeredBy.selectOption("Nobody");
  await chat.message.fill("Talk about it.");
  await chat.message.press("Enter");
  await expect(chat.authors.last()).toHaveText("You · only for critic, planner");
  await chat.button("Let planner answer").click();
  await chat.idle();
  await expect(chat.authors.last()).toHaveText("planner · only for critic, planner");
  const asking = page.waitForRequest((request) => request.method() === "POST");
  await chat.button("Let critic answer").click();
  const { messages } = (await asking).postDataJSON() as { messages: { role: string; content: string }[] };
  expect(messages.at(-1)).toMatchObject({ role: "user", content: expect.stringMatching(/^planner: /) });
  expect(messages.at(-3)).toMatchObject({ role: "assistant" });
  await expect(chat.authors.last()).toHaveText("critic · only for critic, planner");
});

test("f1: a lane of the chat says what its agent sees, and marks it in the transcript", async ({ page }) => {
  const chat = await team(page);
  await expect(lane(page, "critic")).toContainText("Sees 4 of 4 messages");
  await expect(lane(page, "planner")).toContainText("Sees 2 of 4 messages");
  await expect(lane(page, "critic")).toContainText(DOUBTS);
  await expect(chat.meterOf("critic")).toHaveAttribute("aria-valuetext", /^ok, (about )?[\d,]+ of 2,000 tokens, \d+ %$/);
  const hidden = chat.log.getByRole("heading", { name: /· hidden from planner$/ });
  const seen = chat.log.getByRole("heading", { name: /· planner sees it$/ });
  await expect(hidden).toHaveCount(0);
  await lane(page, "planner").hover();
  await expect(hidden).toHaveText([/^You/, /^critic/]);
  await expect(seen).toHaveText([/^You/, /^Model/]);
  await chat.message.hover();
  await expect(hidden).toHaveCount(0);
  const choose = page.getByRole("button", { name: "Mark what planner sees" });
  await chat.button("Settings").focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Mark what critic sees" })).toBeFocused();
  await expect(chat.log.getByRole("heading", { name: /· critic sees it$/ })).toHaveCount(4);
  await choose.focus();
  await page.keyboard.press("Enter");
  await expect(choose).toHaveAttribute("aria-pressed", "true");
  await chat.message.focus();
  await expect(hidden).toHaveCount(2);
  await choose.click();
  await chat.message.hover();
  await expect(hidden).toHaveCount(0);
});

test("f1: one agent of the chat compacts its view alone, and undoes that from its lane or from the notice", async ({ page }) => {
  const chat = await team(page, 2);
  const meters = [chat.meter, chat.meterOf("planner"), chat.meterOf("critic")];
  const fills = () => Promise.all(meters.map(async (meter) => Number(await meter.getAttribute("aria-valuenow"))));
  const before = await fills();
  const [model, planner, critic] = before;
  await chat.button("Compact for critic").click();
  await expect(chat.notices.last()).toHaveText(/^critic: Compacted \d+ messages, /);
  await expect(lane(page, "critic")).toContainText(/Sees 8 of 8 messages, \d of them in its summary/);
  const after = await fills();
  expect(after).toEqual([model, planner, expect.any(Number)]);
  expect(after[2]).toBeLessThan(critic ?? 0);
  await page.getByRole("button", { name: "Mark what critic sees" }).click();
  await expect(chat.log.getByRole("heading", { name: /· now in critic’s summary$/ })).not.toHaveCount(0);
  await chat.button("Undo the compaction for critic").click();
  await expect(chat.notices.last()).toHaveText(/^Undone: critic: Compacted/);
  await expect(chat.button("Compact for critic")).toBeFocused();
  await expect(lane(page, "critic")).not.toContainText("in its summary");
  const undone = await fills();
  // What the provider has counted before does not hold any more.
  expect(undone).toEqual([model, planner, expect.any(Number)]);
  expect(undone[2]).toBeGreaterThan(after[2] ?? Infinity);
  await chat.button("Compact for planner").click();
  await expect(chat.notices).toHaveCount(2);
  await chat.log.getByRole("button", { name: "Undo" }).click();
  await expect(chat.notices.last()).toHaveText(/^Undone: planner:/);
  await expect(chat.button("Undo the compaction for planner")).toBeHidden();
  expect(await fills()).toEqual(undone);
});

test("f4: the role of an agent of the chat stays in its view when that is compacted, and its answers carry its name", async ({ page }) => {
  const chat = await team(page);
  await chat.answeredBy.selectOption("critic");
  for (let turn = 0; turn < 12 && (await chat.notices.count()) === 0; turn += 1) {
    await chat.sendExample();
  }
  await expect(chat.notices.first()).toHaveText(/^critic: Compacted/);
  const messages = await chat.asked("Is everything still there?");
  expect(messages[1]).toEqual({ role: "system", content: DOUBTS });
  expect(messages.length).toBeLessThan(await chat.log.getByRole("article").count());
  await expect(chat.authors.last()).toHaveText("critic");
});

test("f1: an agent of the chat whose answer fails is asked again", async ({ page }) => {
  const chat = await team(page);
  await chat.change({ "Base URL": "http://127.0.0.1:9/v1" });
  await chat.onlyFor("critic").check();
  await chat.say("Are you there?");
  await expect(chat.alert).toBeVisible();
  await chat.change({ "Base URL": scripted("ok") });
  await chat.button("Try again").click();
  await expect(chat.authors.last()).toHaveText("critic · only for critic");
});

test("f1: agents, roles, private messages and compactions of the chat are there after a reload, and in another tab as they are written", async ({ page, context }) => {
  const chat = await team(page, 2);
  await chat.button("Compact for critic").click();
  await expect(chat.notices).toHaveCount(1);
  await chat.onlyFor("critic").check();
  await chat.say("What do you think of it?");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const authors = await chat.authors.allTextContents();
  const [critic, sees] = [await chat.meterOf("critic").getAttribute("aria-valuetext"), await lane(page, "critic").textContent()];
  await page.reload();
  await expect(chat.authors).toHaveText(authors);
  await expect(chat.meterOf("critic")).toHaveAttribute("aria-valuetext", critic ?? "");
  await expect(lane(page, "critic")).toHaveText(sees ?? "");
  const second = await context.newPage();
  const follower = new ChatPage(second);
  await second.goto(page.url());
  await expect(follower.authors).toHaveText(authors);
  await expect(lane(second, "planner")).toContainText(PLANS);
  await expect(follower.button("Compact for critic")).toBeDisabled();
  await expect(follower.button("Add an agent")).toBeDisabled();
  expect(await follower.faults()).toEqual([]);
  await chat.addAgent("writer", "You write it down.");
  await expect(follower.meterOf("writer")).toBeVisible();
  await chat.onlyFor("writer").check();
  await chat.say("Only you know of SECRET-4712.");
  await expect(follower.authors.last()).toHaveText("writer · only for writer");
  await chat.button("Undo the compaction for critic").click();
  await expect(lane(second, "critic")).not.toContainText("in its summary");
  await follower.button("Write here").click();
  await follower.onlyFor("critic").check();
  const messages = await follower.asked("And the budget?");
  expect(JSON.stringify(messages)).toContain("SECRET-4711");
  expect(JSON.stringify(messages)).not.toContain("SECRET-4712");
});

test("f1: agents of the chat are added by keyboard, and a name that is there already is refused", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.button("Add an agent").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Name")).toBeFocused();
  await page.keyboard.type("critic");
  await page.keyboard.press("Tab");
  await page.keyboard.type(DOUBTS);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(chat.message).toBeFocused();
  await expect(lane(page, "critic")).toContainText("Sees 0 of 0 messages");
  await chat.button("Add an agent").click();
  await page.getByLabel("Name").fill("Critic");
  await page.getByLabel("Role").fill("Another one.");
  await chat.button("Add").click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveJSProperty("validationMessage", "There is a critic already.");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("meter")).toHaveCount(2);
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 390]) {
    test(`f1: axe finds no faults in the lanes of the chat, ${colorScheme}, ${width} pixels wide`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 760 });
      const chat = await team(page, 2);
      await chat.button("Compact for critic").click();
      await expect(chat.notices).toHaveCount(1);
      expect(await chat.faults()).toEqual([]);
      await chat.onlyFor("planner").check();
      await page.getByRole("button", { name: "Mark what planner sees" }).click();
      await chat.log.evaluate((log) => (log.scrollTop = 0));
      expect(await chat.faults()).toEqual([]);
      expect(await chat.overflow()).toBe(0);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-agents.png` });
      await chat.button("Add an agent").click();
      expect(await chat.faults()).toEqual([]);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-agent.png` });
    });
  }
}
