// The page with a small real model. What the model writes is bad, and is not looked at: only how it arrives, how it is stopped,
// and what the page says of it.

import { expect, test } from "@playwright/test";
import { journey, llama, skip, skipOther } from "../../servers/llama.mjs";
import { breaches, EpitomePage } from "./page.js";

const LENGTHS = { maxTokens: 80, ledgerTokens: 20 };
const POLICY = {
  window: 2_000,
  triggers: ["manual"],
  reducers: [],
  keep: { messages: 2 },
  target: 0.4,
  summary: { ...LENGTHS, fallbackSummarizers: ["extractive"] },
};

let server: Awaited<ReturnType<typeof llama>> | undefined;

test.describe.configure({ timeout: 180_000 });
test.beforeAll(async () => {
  if (skip === false) server = await llama();
});
test.afterAll(() => server?.close());

/** The page with a conversation of about so many tokens, which the model is to summarize. */
async function opened(epitome: EpitomePage, tokens: number): Promise<string> {
  await epitome.open();
  await epitome.load(journey(tokens));
  await epitome.settle(POLICY);
  await epitome.summarizeAt(`${server?.url}/v1`);
  return epitome.exported();
}

test("i36: in the page, the summary of a real model is shown while it is written, and undone", async ({ page }) => {
  test.skip(skip !== false, String(skip));
  const epitome = new EpitomePage(page);
  const before = await opened(epitome, 1_200);
  await epitome.compact();
  const arriving = page.getByRole("region", { name: "The summary as it arrives" });
  await expect(arriving).not.toContainText("Waiting for the first words", { timeout: 60_000 });
  await epitome.isCompacted();
  const messages = await epitome.messages();
  expect(breaches(messages)).toEqual([]);
  expect(messages.length).toBeLessThan(journey(1_200).length);
  await epitome.undo.click();
  await expect(epitome.undo).toHaveCount(0);
  expect(await epitome.exported()).toBe(before);
  expect(epitome.errors).toEqual([]);
});

test("i36: in the page, Cancel stops a real model in the middle of a word, and changes nothing", async ({ page, request }) => {
  test.skip(skipOther !== false, String(skipOther));
  const epitome = new EpitomePage(page);
  const before = await opened(epitome, 1_200);
  const log = async (query = "") => (await request.get(`${server?.url}/log${query}`)).json();
  const { aborted } = await log();
  await epitome.compact();
  const arriving = page.getByRole("region", { name: "The summary as it arrives" });
  await expect(arriving).not.toContainText("Waiting for the first words", { timeout: 60_000 });
  await epitome.button("Cancel").click();
  await expect(epitome.result).toContainText("Cancelled.");
  expect(await log(`?aborted=${aborted + 1}`)).toMatchObject({ aborted: aborted + 1, running: 0 });
  expect(await epitome.exported()).toBe(before);
  expect(epitome.errors).toEqual([]);
});

test("i36: in the page, a prompt that is too long for a real model becomes smaller ones, and the result says so", async ({ page }) => {
  test.skip(skip !== false, String(skip));
  const epitome = new EpitomePage(page);
  await opened(epitome, 2_600);
  await epitome.compact();
  await epitome.isCompacted();
  await epitome.result.getByText(/^The summarizer was asked otherwise/).click();
  const first = epitome.result.getByRole("list", { name: "What was tried" }).getByRole("listitem").first();
  await expect(first).toContainText(/In chunks of at most [\d,]+ characters: .*2048 tokens/);
  expect(breaches(await epitome.messages())).toEqual([]);
  expect(epitome.errors).toEqual([]);
});
