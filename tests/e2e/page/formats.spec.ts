// A conversation in each format: it is read, compacted, exported in that format, and restored by undo.

import { expect, type Page, test } from "@playwright/test";
import { detectFormat, validate } from "epitome";
import { inOneMessage, type Format, SYSTEM, turns, written } from "./move.js";
import { EpitomePage } from "./page.js";

type Shape = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isOneOf = (value: unknown, ...names: string[]): boolean => names.includes(String(value));

/** Each format with its title on the page, and the fields that all of its messages have. */
const FORMATS: { readonly [F in Format]: readonly [title: string, isShaped: (message: Shape) => boolean] } = {
  "openai-chat": ["OpenAI Chat Completions", ({ role, content }) => isOneOf(role, "system", "user", "assistant", "tool") && isText(content)],
  "openai-responses": [
    "OpenAI Responses",
    ({ type, role, content }) => isOneOf(type, "reasoning", "function_call", "function_call_output") || (isText(role) && content !== undefined),
  ],
  anthropic: [
    "Anthropic Messages",
    ({ role, content }) => isOneOf(role, "user", "assistant") && (isText(content) || areTyped(content)),
  ],
  "ai-sdk-ui": ["AI SDK UIMessage", ({ id, role, parts }) => isText(id) && isOneOf(role, "user", "assistant") && areTyped(parts)],
  "ai-sdk-model": [
    "AI SDK ModelMessage",
    ({ role, content }) => isOneOf(role, "system", "user", "assistant", "tool") && (isText(content) || areTyped(content)),
  ],
  gemini: ["Gemini Content", ({ role, parts }) => isOneOf(role, "user", "model") && Array.isArray(parts) && parts.length > 0],
  langchain: [
    "LangChain messages",
    ({ type, data }) => isOneOf(type, "system", "human", "ai", "tool") && typeof data === "object",
  ],
  bedrock: ["Bedrock Converse", ({ role, content }) => isOneOf(role, "user", "assistant") && Array.isArray(content) && content.length > 0],
};

function areTyped(parts: unknown): boolean {
  return Array.isArray(parts) && parts.length > 0 && parts.every((part: Shape) => isText(part["type"]));
}

/** Why the provider would refuse these messages. */
async function refusals(messages: readonly object[], format: Format): Promise<string[]> {
  const issues = await validate(messages, format);
  return issues.filter(({ severity }) => severity === "refused").map(({ path, code }) => `${path}: ${code}`);
}

/** The messages that the page exports, as JSON. */
async function handedOut(epitome: EpitomePage): Promise<Shape[]> {
  return JSON.parse(await epitome.exported()) as Shape[];
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const held = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
    [name, text] as const,
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: held });
}

for (const [format, [title, isShaped]] of Object.entries(FORMATS) as [Format, (typeof FORMATS)[Format]][]) {
  test(`a conversation in ${title} is exported in that format, and restored by undo`, async ({ page }) => {
    const { document, messages } = written[format](turns(6));
    expect(await refusals(messages, format), "as it is written here").toEqual([]);
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.paste(JSON.stringify(document));
    await epitome.isLoaded("Pasted text");
    await expect(page.getByText(new RegExp(`^${messages.length} messages( in \\d+ rows)? · ${title}$`))).toBeVisible();
    await expect(epitome.findings).toHaveCount(0);
    const said = (who: string, what: string) => epitome.rows.filter({ hasText: who }).filter({ hasText: what }).first();
    await expect(said("user", "What stands in the library")).toBeVisible();
    await expect(said("assistant", 'inventory {"room":"library","day":1}')).toBeVisible();
    await expect(said("tool", "crew line 1 for the library")).toBeVisible();
    expect(await handedOut(epitome)).toEqual(messages);

    await epitome.tighten();
    await epitome.compact();
    await epitome.isCompacted();
    const compacted = await handedOut(epitome);
    expect(compacted.length).toBeLessThan(messages.length);
    expect(compacted.filter((message) => !isShaped(message))).toEqual([]);
    expect(await detectFormat(compacted)).toEqual({ kind: "known", format });
    expect(await refusals(compacted, format)).toEqual([]);
    expect(JSON.stringify(compacted)).toContain("<conversation-summary");
    expect(JSON.stringify(compacted.at(-1)), "the end is kept").toContain("The reception moves on day 6");

    await epitome.undo.click();
    await expect(epitome.undo).toBeHidden();
    expect(await handedOut(epitome)).toEqual(messages);
    expect(epitome.errors).toEqual([]);
  });
}

test("a message of many steps is summarized in part", async ({ page }) => {
  const messages = inOneMessage(turns(8));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await drop(page, "one-go.json", JSON.stringify(messages));
  await epitome.isLoaded("one-go.json");
  await expect(page.getByText(/^3 messages in 43 rows · AI SDK UIMessage/)).toBeVisible();
  await epitome.tighten();
  const standing = (row: string) => epitome.rows.filter({ hasText: new RegExp(`^${row.replace(".", "\\.")}(assistant|tool)`) });
  await expect(standing("2.1")).toContainText("summarize");
  await standing("2.2").click();
  await expect(epitome.details.getByRole("heading", { name: "Message 2.2" })).toBeVisible();
  await expect(epitome.details).toContainText("Result of inventory");
  await page.keyboard.press("Escape");
  expect(await epitome.faults()).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await epitome.overflow()).toBe(0);
  await epitome.compact();
  await epitome.isCompacted();
  expect(await epitome.overflow()).toBe(0);
  await expect(standing("2.1")).toContainText("summarized");
  await epitome.rows.first().press("End");
  await expect(standing("2.41")).toContainText("keep");

  const compacted = await handedOut(epitome);
  expect(await refusals(compacted, "ai-sdk-ui")).toEqual([]);
  const steps = (list: readonly Shape[]) => JSON.stringify(list).split('"step-start"').length - 1;
  expect(steps(compacted)).toBeGreaterThan(1);
  expect(steps(compacted)).toBeLessThan(steps(messages as Shape[]));
  await epitome.undo.click();
  await expect(epitome.undo).toBeHidden();
  expect(await handedOut(epitome)).toEqual(messages);
});

test("lines that are items of OpenAI Responses are one conversation", async ({ page }) => {
  const { messages } = written["openai-responses"](turns(2));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await drop(page, "items.jsonl", messages.map((message) => JSON.stringify(message)).join("\n"));
  await epitome.isLoaded("items.jsonl");
  await expect(page.getByText(new RegExp(`^${messages.length} messages · OpenAI Responses`))).toBeVisible();
});

test("instructions next to the messages count as overhead, and are removed with their document", async ({ page }) => {
  const story = turns(2);
  const bodies = [
    ...(["anthropic", "openai-responses", "gemini"] as const).map((format) => written[format](story).document),
    { contents: written.gemini(story).messages, config: { systemInstruction: SYSTEM } },
  ];
  const epitome = new EpitomePage(page);
  await epitome.open();
  const besides = page.getByRole("list", { name: "What fills the window" }).getByRole("listitem").filter({ hasText: "Tools and instructions" });
  const amounts = new Set<string | null>();
  for (const body of bodies) {
    await epitome.load(body);
    await expect(besides).toBeVisible();
    amounts.add(await besides.textContent());
  }
  expect(amounts.size, "the same text counts the same everywhere").toBe(1);
  await epitome.load([{ role: "user", content: "hi" }], "bare.json");
  await expect(besides).toHaveCount(0);
  await epitome.load(written.bedrock(story).document, "tools.json");
  await expect(besides).toBeVisible();
  await epitome.settle({ toolSchemaTokens: 1_234 });
  await epitome.load([{ role: "user", content: "hi" }], "bare.json");
  await expect(besides, "the user's own value stays").toContainText("1,234");
});
