// The live chat of the page: it continues the conversation, compacts as an app does, and branches.

import { expect, type Locator, type Page, type Request, test } from "@playwright/test";
import { validate } from "epitome";
import { mockBuiltInModel } from "../built-in-model.js";
import { type Format, SYSTEM, turns, written } from "./move.js";
import { EpitomePage, type Message, scripted } from "./page.js";

const chat = (page: Page): Locator => page.getByRole("region", { name: "Live chat" });
const field = (page: Page): Locator => chat(page).getByRole("textbox", { name: "Message", exact: true });
const bubbles = (page: Page): Locator => chat(page).getByRole("list", { name: "The last turn" }).getByRole("listitem");
const answer = (page: Page): Locator => bubbles(page).filter({ has: page.getByRole("heading", { name: "Model" }) });
const versions = (page: Page): Locator => chat(page).getByRole("group", { name: "Versions" });

/** Has a server answer that behaves as the scenario says. */
async function answeredBy(page: Page, baseUrl: string, model = "scripted"): Promise<void> {
  const server = chat(page).getByRole("group").filter({ hasText: "Answered by" });
  if (!(await chat(page).getByLabel("Base URL").isVisible())) await server.locator("summary").first().click();
  await chat(page).getByLabel("Base URL").fill(baseUrl);
  await chat(page).getByLabel("Model", { exact: true }).fill(model);
}

/** Sends a message, and waits until nothing runs any more. */
async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
  await isIdle(page);
}

async function isIdle(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Cancel", exact: true })).toHaveCount(0);
}

const asked = (request: Request): Message[] => (request.postDataJSON() as { messages: Message[] }).messages;

/** The next request for an answer to this. A summarizer is asked at the same address. */
const asking = (page: Page, text: string): Promise<Request> =>
  page.waitForRequest((request) => request.method() === "POST" && asked(request).at(-1)?.content === text);

/** How many messages the list has, of which only those in view are on the page. */
const length = (page: Page): Promise<number> =>
  page.getByRole("heading", { level: 2, name: /^Messages/ }).textContent().then((text) => Number(text?.replace(/\D/g, "")));

/** A row of the list by its place from the end, with the focus. */
async function rowFromEnd(page: Page, epitome: EpitomePage, place: number): Promise<Locator> {
  await epitome.rows.first().focus();
  await page.keyboard.press("End");
  await expect(epitome.rows.last()).toBeFocused();
  for (let back = 1; back <= place; back += 1) {
    await page.keyboard.press("ArrowUp");
    await expect(epitome.rows.nth(-1 - back)).toBeFocused();
  }
  return epitome.rows.nth(-1 - place);
}

/** Opens a conversation that the browser keeps. */
async function reopen(page: Page, epitome: EpitomePage, name: string): Promise<void> {
  const list = page.getByRole("list", { name: "Conversations in this browser" });
  if (!(await list.isVisible())) await page.getByText(/^Kept \(/).click();
  await list.getByRole("button", { name, exact: true }).click();
  await epitome.isLoaded(name);
}

/** A conversation far below its window. */
async function openShort(page: Page, window = 64_000): Promise<EpitomePage> {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(written["openai-chat"](turns(4)).document, "short.json");
  await epitome.settle({ window });
  return epitome;
}

test("a message and its answer become part of the conversation, and are there after a reload", async ({ page }) => {
  const epitome = await openShort(page);
  const before = await length(page);
  const request = asking(page, "Where do the tulips go?");
  await say(page, "Where do the tulips go?");
  const sent = asked(await request);
  expect(sent.at(-1)).toEqual({ role: "user", content: "Where do the tulips go?" });
  expect(await validate(sent, "openai-chat")).toEqual([]);
  expect(await length(page)).toBe(before + 2);
  await expect(bubbles(page)).toHaveCount(2);
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue("");
  expect(await epitome.faults()).toEqual([]);
  const messages = await epitome.messages();
  expect(messages.slice(-2).map(({ role }) => role)).toEqual(["user", "assistant"]);
  await epitome.isStored();

  await page.reload();
  await epitome.isLoaded("short.json");
  expect(await length(page)).toBe(before + 2);
  expect(await epitome.messages()).toEqual(messages);
  await expect(page.getByText(`${messages.length} messages · OpenAI Chat`)).toBeVisible();
  expect(epitome.errors).toEqual([]);
});

test("a turn that fills the window ends with a compaction, and the model gets its summary from then on", async ({ page }) => {
  const epitome = await openShort(page);
  await epitome.settle({ window: 2_000, triggers: [{ tokens: 600 }], keep: { messages: 2 } });
  await say(page, "Tell me about tulips. ".repeat(120));
  await epitome.isCompacted();
  // It may be compacted before the request as well as behind the answer.
  await expect(answer(page)).toHaveCount(1);
  await isIdle(page);
  const request = asking(page, "And the roses?");
  await say(page, "And the roses?");
  const sent = asked(await request);
  expect(JSON.stringify(sent)).toContain("conversation-summary");
  expect(JSON.stringify(sent)).not.toContain("inventory line 1 for the library");
  expect(await validate(sent, "openai-chat")).toEqual([]);
  await epitome.undo.first().click();
  await epitome.isUndone();
});

test("a conversation that is over its threshold is compacted before it is sent", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.tighten();
  const request = asking(page, "What did I order?");
  await say(page, "What did I order?");
  await epitome.isCompacted();
  expect(JSON.stringify(asked(await request))).toContain("conversation-summary");
  await expect(answer(page)).toHaveCount(1);
  expect(epitome.errors).toEqual([]);
});

test("a request that the server refuses as too long is compacted and sent again, and the window is the server’s", async ({ page }) => {
  const epitome = await openShort(page);
  await epitome.load(written["openai-chat"](turns(20)).document, "long.json");
  await epitome.settle({ window: 64_000 });
  await answeredBy(page, scripted(`too-long-in-all/${crypto.randomUUID()}`));
  await say(page, "And the roses?");
  await epitome.isCompacted();
  await expect(answer(page)).toHaveCount(1);
  await expect(chat(page).getByRole("status").filter({ hasText: "window has" })).toBeVisible();
  await expect(chat(page).getByRole("alert")).toHaveCount(0);
});

test("an answer is written again, and each of its versions is shown, also after a reload", async ({ page }) => {
  const epitome = await openShort(page);
  await say(page, "Where do the tulips go?");
  const rows = await length(page);
  await chat(page).getByRole("button", { name: "Answer again" }).click();
  await isIdle(page);
  await expect(versions(page)).toContainText("2 of 2");
  expect(await length(page)).toBe(rows);
  await expect(field(page)).toBeFocused();
  await expect((await rowFromEnd(page, epitome, 0)).locator(".row-number")).toHaveText(String(rows));
  expect(await epitome.faults()).toEqual([]);

  await chat(page).getByRole("button", { name: "Earlier version" }).focus();
  await page.keyboard.press("Enter");
  await expect(versions(page)).toContainText("1 of 2");
  await expect(chat(page).getByRole("button", { name: "Later version" })).toBeFocused();
  await say(page, "And the roses?");
  expect(await length(page)).toBe(rows + 2);
  await epitome.isStored();

  await page.reload();
  await epitome.isLoaded("short.json");
  expect(await length(page)).toBe(rows + 2);
  await expect(page.getByText(`${rows + 2} messages · OpenAI Chat`)).toBeVisible();
  await (await rowFromEnd(page, epitome, 2)).press("Enter");
  await expect(epitome.details.getByRole("group", { name: "Versions" })).toContainText("1 of 2");
  await epitome.details.getByRole("button", { name: "Later version" }).click();
  await expect(epitome.details.getByRole("group", { name: "Versions" })).toContainText("2 of 2");
  await page.keyboard.press("Escape");
  expect(await length(page)).toBe(rows);
  expect((await epitome.messages()).length).toBe(rows);
});

test("what was said is sent in other words, from its details too, and the model gets only these", async ({ page }) => {
  const epitome = await openShort(page);
  const before = await length(page);
  await say(page, "Where do the tulips go?");
  await bubbles(page).first().getByRole("button", { name: "Edit" }).click();
  const words = page.getByRole("textbox", { name: "Your message in other words" });
  await expect(words).toBeFocused();
  await expect(words).toHaveValue("Where do the tulips go?");
  await page.keyboard.press("Escape");
  await expect(words).toHaveCount(0);
  await expect(bubbles(page).first().getByRole("button", { name: "Edit" })).toBeFocused();

  await (await rowFromEnd(page, epitome, 1)).press("Enter");
  await epitome.details.getByRole("button", { name: "Edit" }).click();
  await expect(words).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(epitome.details.getByRole("button", { name: "Edit" })).toBeFocused();
  await page.keyboard.press("Enter");
  await words.fill("Where do the daffodils go?");
  const request = asking(page, "Where do the daffodils go?");
  await words.press("Enter");
  const sent = asked(await request);
  expect(JSON.stringify(sent)).not.toContain("tulips");
  await isIdle(page);
  await expect(epitome.details).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  expect(await length(page)).toBe(before + 2);
  await expect(versions(page)).toContainText("2 of 2");
});

test("an answer can be stopped: what has arrived stays, and without a word the one before is shown again", async ({ page }) => {
  const epitome = await openShort(page);
  await say(page, "Where do the tulips go?");
  const first = await answer(page).locator(".bubble-text").textContent();
  await answeredBy(page, scripted(`stall-first-byte/${crypto.randomUUID()}`));
  await chat(page).getByRole("button", { name: "Answer again" }).click();
  await expect(epitome.button("Compact now")).toBeDisabled();
  await chat(page).getByRole("button", { name: "Stop" }).click();
  await isIdle(page);
  await expect(answer(page).locator(".bubble-text")).toHaveText(first ?? "");
  await expect(versions(page)).toHaveCount(0);

  await answeredBy(page, scripted(`stall-mid/${crypto.randomUUID()}`));
  await field(page).fill("And the roses?");
  await field(page).press("Enter");
  await expect(chat(page).locator("[aria-busy=true] .bubble-text")).not.toBeEmpty();
  await chat(page).getByRole("button", { name: "Stop" }).click();
  await isIdle(page);
  await expect(field(page)).toBeFocused();
  await expect(answer(page).locator(".bubble-text")).not.toBeEmpty();
  expect((await epitome.messages()).at(-1)?.role).toBe("assistant");
});

for (const [scenario, words] of [
  ["401", /key/],
  ["cut", /connection/],
  ["empty", /without any text|no text/],
] as const) {
  test(`an answer that fails (${scenario}) says why, and is asked for again`, async ({ page }) => {
    const epitome = await openShort(page);
    await answeredBy(page, scripted(`${scenario}/${crypto.randomUUID()}`));
    await say(page, "Where do the tulips go?");
    const alert = chat(page).getByRole("alert");
    await expect(alert).toContainText(words);
    expect(await epitome.faults()).toEqual([]);
    await answeredBy(page, scripted("ok"));
    await alert.getByRole("button", { name: "Try again" }).click();
    await isIdle(page);
    await expect(alert).toHaveCount(0);
    await expect(field(page)).toBeFocused();
    expect((await epitome.messages()).at(-1)?.role).toBe("assistant");
  });
}

for (const format of ["anthropic", "gemini", "ai-sdk-ui"] satisfies Format[]) {
  test(`a conversation of the format ${format} goes on in that format`, async ({ page }) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.load(written[format](turns(4)).document, "other.json");
    await epitome.settle({ window: 64_000 });
    const request = asking(page, "Where do the tulips go?");
    await say(page, "Where do the tulips go?");
    expect(await validate(asked(await request), "openai-chat")).toEqual([]);
    const messages = await epitome.messages();
    expect(await validate(messages, format)).toEqual([]);
    expect(JSON.stringify(messages.at(-2))).toContain("Where do the tulips go?");
  });
}

test("a server is chosen by name, tested, and lists its models; its key is neither kept nor sent elsewhere", async ({ page }) => {
  const epitome = await openShort(page);
  await chat(page).getByText("Answered by").click();
  const server = chat(page).getByLabel("Server", { exact: true });
  await expect(server).toHaveValue("This page’s server");
  await server.selectOption("Ollama");
  await expect(chat(page).getByLabel("Base URL")).toHaveValue("http://localhost:11434/v1");
  await expect(chat(page).getByText(/OLLAMA_ORIGINS/)).toBeVisible();
  await expect(chat(page).getByText("Answered by llama3.2 at Ollama")).toBeVisible();
  const key = crypto.randomUUID();
  await chat(page).getByLabel("Base URL").fill(scripted(`ok/${key}`));
  await expect(server).toHaveValue("other");
  await chat(page).getByLabel("Model", { exact: true }).fill("");
  await chat(page).getByRole("button", { name: "Test" }).click();
  await expect(chat(page).getByText("The server has 1 model. Choose one.")).toBeVisible();
  await expect(chat(page).locator("datalist option")).toHaveAttribute("value", "scripted");
  await chat(page).getByLabel("Model", { exact: true }).fill("scripted");
  await chat(page).getByLabel("Key (optional)").fill("sk-secret");
  await chat(page).getByRole("button", { name: "Test" }).click();
  await expect(chat(page).getByText("The server has 1 model, and scripted answers.")).toBeVisible();
  expect(await epitome.faults()).toEqual([]);

  await chat(page).getByLabel("Base URL").fill("http://localhost:9/v1");
  await expect(chat(page).getByText(/Not sent:/)).toBeVisible();
  await chat(page).getByRole("button", { name: "Test" }).click();
  await expect(chat(page).locator(".tested [role=status]")).toContainText(/key/);
  await chat(page).getByLabel("Base URL").fill(scripted(`ok/${key}`));
  await say(page, "Where do the tulips go?");
  await epitome.isStored();
  const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(kept).toContain("scripted");
  expect(kept).not.toContain("sk-secret");
  await page.reload();
  await epitome.isLoaded("short.json");
  await expect(chat(page).getByText(/Answered by scripted at http/)).toBeVisible();
});

test("while the answer arrives it can be read, and the page says so without stealing the focus", async ({ page }) => {
  const epitome = await openShort(page);
  await answeredBy(page, scripted("slow"));
  await field(page).fill("Where do the tulips go?");
  await chat(page).getByRole("button", { name: "Send" }).click();
  const arriving = chat(page).locator("[aria-busy=true]");
  await expect(arriving.locator(".bubble-text")).not.toBeEmpty();
  await expect(arriving).toBeInViewport();
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("The next one");
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue("The next one");
  await isIdle(page);
  await expect(field(page)).toHaveValue("The next one");
  expect(epitome.errors).toEqual([]);
});

test("a model that the browser has built in answers without a server, and what is too long for it is compacted", async ({ page }) => {
  await mockBuiltInModel(page, 4_000);
  const epitome = await openShort(page);
  await chat(page).getByText("Answered by").click();
  await chat(page).getByLabel("Server", { exact: true }).selectOption("Chrome’s built-in model");
  await chat(page).getByRole("button", { name: "Test" }).click();
  await expect(chat(page).getByText("The server has 1 model, and built-in answers.")).toBeVisible();
  await say(page, "Where do the tulips go?");
  await epitome.isCompacted();
  await expect(answer(page)).toContainText("You said: Where do the tulips go?");
  await expect(chat(page).getByText("Answered by Chrome’s built-in model")).toBeVisible();
});

test("a browser without a built-in model does not offer one", async ({ page }) => {
  await openShort(page);
  await chat(page).getByText("Answered by").click();
  await expect(chat(page).getByLabel("Server", { exact: true }).getByRole("option", { name: "Ollama" })).toHaveCount(1);
  await expect(chat(page).getByLabel("Server", { exact: true }).getByRole("option", { name: /Chrome/ })).toHaveCount(0);
});

test("what is typed stays with its conversation: the next one has an empty field, and the text is there on the way back", async ({ page }) => {
  const epitome = await openShort(page);
  await epitome.isStored();
  await field(page).fill("Where do the tulips go?");
  await epitome.openSample("A coding session");
  await expect(field(page)).toHaveValue("");
  await field(page).fill("Why one hour?");
  await epitome.load(written.anthropic(turns(2)).document, "other.json");
  await expect(field(page)).toHaveValue("");
  await epitome.openSample("A coding session");
  await expect(field(page)).toHaveValue("Why one hour?");
  await epitome.openSample("A coding session");
  await expect(field(page)).toHaveValue("Why one hour?");
  await reopen(page, epitome, "other.json");
  await expect(field(page)).toHaveValue("");
  await reopen(page, epitome, "short.json");
  await expect(field(page)).toHaveValue("Where do the tulips go?");
  await field(page).press("Enter");
  await isIdle(page);
  await expect(field(page)).toHaveValue("");
  await epitome.openSample("A coding session");
  await reopen(page, epitome, "short.json");
  await expect(field(page)).toHaveValue("");
  expect(epitome.errors).toEqual([]);
});

test("what is typed is there again after a reload, with its conversation", async ({ page }) => {
  const epitome = await openShort(page);
  await epitome.isStored();
  await field(page).fill("Where do the tulips go?");
  await epitome.openSample("A coding session");
  await field(page).fill("Why one hour?");
  await page.reload();
  // The page goes on with the conversation that is kept.
  await expect(field(page)).toHaveValue("Where do the tulips go?");
  await epitome.openSample("A coding session");
  await expect(field(page)).toHaveValue("Why one hour?");
  await reopen(page, epitome, "short.json");
  await expect(field(page)).toHaveValue("Where do the tulips go?");
  await field(page).press("Enter");
  await isIdle(page);
  await page.reload();
  await expect(field(page)).toHaveValue("");
  expect(epitome.errors).toEqual([]);
});

test("what is typed below a sample that has gone on is there in the kept one, not in the sample", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await say(page, "Where do the tulips go?");
  await epitome.isStored();
  await field(page).fill("And the roses?");
  await epitome.openSample("Customer support");
  await expect(field(page)).toHaveValue("");
  await reopen(page, epitome, "Customer support");
  await expect(field(page)).toHaveValue("And the roses?");
});

test("a text that is no conversation leaves what is typed alone", async ({ page }) => {
  const epitome = await openShort(page);
  await field(page).fill("Where do the tulips go?");
  await epitome.paste("{ this is no conversation");
  await expect(epitome.alert).toBeVisible();
  await expect(field(page)).toHaveValue("Where do the tulips go?");
});

type Body = { messages: Message[]; tools?: unknown; tool_choice?: unknown };

for (const format of ["anthropic", "openai-responses", "gemini", "bedrock"] satisfies Format[]) {
  test(`the instructions of a request of the format ${format} are sent, also after a reload`, async ({ page }) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.load(written[format](turns(2)).document, "request.json");
    await epitome.settle({ window: 64_000 });
    await expect(chat(page).getByText("Instructions that came with the conversation are sent.")).toBeVisible();
    const request = asking(page, "Where do the tulips go?");
    await say(page, "Where do the tulips go?");
    const sent = asked(await request);
    expect(sent[0]).toEqual({ role: "system", content: SYSTEM });
    expect(sent.filter(({ role }) => role === "system")).toHaveLength(1);
    expect(await validate(sent, "openai-chat")).toEqual([]);
    expect(JSON.stringify(await epitome.messages()), "they are no part of the conversation").not.toContain(SYSTEM);
    await epitome.isStored();

    await page.reload();
    await epitome.isLoaded("request.json");
    const later = asking(page, "And the roses?");
    await say(page, "And the roses?");
    expect(asked(await later)[0]).toEqual({ role: "system", content: SYSTEM });
    await epitome.load([{ role: "user", content: "hi" }], "bare.json");
    await expect(chat(page).getByText("Instructions that came with")).toHaveCount(0);
    const bare = asking(page, "And the tulips?");
    await say(page, "And the tulips?");
    expect(JSON.stringify(asked(await bare))).not.toContain(SYSTEM);
  });
}

test("instructions and tools of a kept conversation count after a reload as before it", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(written.bedrock(turns(2)).document, "request.json");
  const besides = page.getByRole("list", { name: "What fills the window" }).getByRole("listitem").filter({ hasText: "Tools and instructions" });
  const before = await besides.textContent();
  await epitome.isStored();
  await page.reload();
  await epitome.isLoaded("request.json");
  await expect(besides).toHaveText(before ?? "");
});

test("tools are not sent, and the page says why; a provider that refuses calls of unknown tools gets their names", async ({ page }) => {
  const epitome = await openShort(page);
  await expect(chat(page).getByText("Tools that came with the conversation are not sent: this page cannot run them.")).toBeVisible();
  const request = asking(page, "Where do the tulips go?");
  await say(page, "Where do the tulips go?");
  const body = (await request).postDataJSON() as Body;
  expect(body.messages.some(({ tool_calls }) => tool_calls !== undefined), "there are calls").toBe(true);
  expect(body).not.toHaveProperty("tools");
  expect(body).not.toHaveProperty("tool_choice");

  await page.route("https://api.anthropic.com/**", (route) =>
    route.fulfill({ json: { choices: [{ message: { role: "assistant", content: "By the gate." }, finish_reason: "stop" }] } }),
  );
  await chat(page).getByText("Answered by").click();
  await chat(page).getByLabel("Server", { exact: true }).selectOption("Anthropic");
  await chat(page).getByLabel("Key (optional)").fill("sk-secret");
  const other = asking(page, "And the roses?");
  await say(page, "And the roses?");
  const { tools, tool_choice } = (await other).postDataJSON() as Body;
  const named = (name: string): object => ({ type: "function", function: { name, parameters: { type: "object" } } });
  expect(tools).toEqual(["crew", "inventory", "lift"].map(named));
  expect(tool_choice).toBe("none");
  await expect(answer(page)).toContainText("By the gate.");

  await epitome.load([{ role: "user", content: "hi" }, { role: "assistant", content: "Hello." }], "bare.json");
  const bare = asking(page, "And the tulips?");
  await say(page, "And the tulips?");
  expect((await bare).postDataJSON()).not.toHaveProperty("tools");
  expect((await bare).postDataJSON()).not.toHaveProperty("tool_choice");
});

for (const [width, height] of [[1440, 900], [1024, 720]] as const) {
  test(`the field of the live chat comes into view where it is scrolled to: ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await field(page).evaluate((element) => element.scrollIntoView({ block: "nearest" }));
    await expect(field(page)).toBeInViewport({ ratio: 0.9 });
  });
}
