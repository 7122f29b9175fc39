// Reducers save tokens without a model: shown in advance, done without a request, and undone.

import { expect, test } from "@playwright/test";
import { breaches, EpitomePage, type Message, toolLoop } from "./page.js";

const only = (reducer: object | string, rest: object = {}) => ({
  window: 20_000,
  preset: "team-none",
  target: 0.1,
  reducers: [{ reducer, ...rest }],
});

test("c3: arguments of old calls are cleared without a summarizer", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const asked: string[] = [];
  page.on("request", (request) => request.method() === "POST" && asked.push(request.url()));
  await epitome.open();
  const messages = toolLoop(8, { argumentWords: 400 });
  await epitome.load(messages);
  await epitome.settle(only({ clearToolInputs: { protectFraction: 0.1 } }));
  const plan = page.getByRole("list", { name: "Planned actions" });
  await expect(plan).toContainText("clear tool inputs");
  await expect(page.getByText("No summary is requested.")).toBeVisible();
  await expect(epitome.rows.nth(2)).toContainText("clear tool inputs");
  await expect(epitome.rows.last()).toContainText("keep");
  const before = await epitome.exported();
  await epitome.compact();
  await epitome.isCompacted();
  expect(asked).toEqual([]);
  const after = await epitome.messages();
  expect(breaches(after)).toEqual([]);
  const first = after[2]?.tool_calls?.[0]?.function;
  expect(first?.name).toBe("search");
  expect(first?.arguments.length).toBeLessThan(500);
  expect(after.filter(({ role }) => role !== "assistant")).toEqual(messages.filter(({ role }) => role !== "assistant"));
  expect(after.at(-2)).toEqual(messages.at(-2));
  await expect(epitome.rows.nth(2)).toContainText("inputs cleared");
  await epitome.undo.click();
  await expect(epitome.undo).toHaveCount(0);
  expect(await epitome.exported()).toBe(before);
});

test("c4: a large result is offloaded and can be read back", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(toolLoop(4, { resultWords: 3_000 }));
  await epitome.settle(only({ offloadToolResults: { protectFraction: 0.1, maxTokens: 500, keepTokens: 50 } }));
  await expect((await epitome.openSettings("Savings without a model")).getByLabel("Shorten to")).toHaveValue("50");
  await epitome.closeSettings();
  await expect(epitome.rows.nth(3)).toContainText("offload tool results");
  await epitome.compact();
  await epitome.isCompacted();
  const sent = await epitome.messages();
  expect(String(sent[3]?.content).length).toBeLessThan(2_000);
  expect(String(sent[3]?.content)).not.toContain("r1x2000 ");

  await page.getByText("What the model sees", { exact: true }).click();
  await expect(epitome.rows.nth(3)).toContainText("offloaded");
  await epitome.rows.nth(3).click();
  await expect(epitome.details).toContainText(/tool-results\/call_1\.txt/);
  await expect(epitome.details).not.toContainText("r1x2000 ");
  await epitome.details.getByRole("button", { name: "Show all of it" }).click();
  await expect(epitome.details).toContainText("r1x1 r1x2 ");
  await expect(epitome.details).toContainText(" r1x3000");
  expect(await epitome.faults()).toEqual([]);
  await page.keyboard.press("Escape");
  expect(await epitome.events()).toContain("Offloaded: tool-results/call_1.txt");
});

test("c1: old results are truncated by their age, with a notice", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const messages = toolLoop(10, { resultWords: 500 });
  await epitome.load(messages);
  await epitome.settle(only({ truncateToolResults: { steps: [{ fromMessages: 3, maxTokens: 300 }] } }, { when: "always" }));
  const sheet = await epitome.openSettings("Savings without a model");
  await sheet.getByLabel("Messages ago: tokens to keep").fill("5: 400, 11: 100");
  await epitome.closeSettings();
  await expect(epitome.rows.nth(3)).toContainText("truncate tool results");
  await epitome.compactFor("Reducers only");
  await epitome.isCompacted();
  const after = await epitome.messages();
  const lengths = after.filter(({ role }) => role === "tool").map(({ content }) => String(content).length);
  expect(lengths[0]).toBeLessThan(lengths[7] ?? 0);
  expect(after.at(-2)).toEqual(messages.at(-2));
  expect(String(after[3]?.content)).toMatch(/truncat/i);
});

test("c2: repeated synthetic messages are removed first", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const beat: Message[] = [
    { role: "user", content: "Are you there?" },
    { role: "assistant", content: "HEARTBEAT_OK" },
  ];
  await epitome.open();
  await epitome.load([...toolLoop(4), ...beat, ...beat, { role: "user", content: "Go on, please." }]);
  await epitome.settle({ ...only("deduplicate", { when: "always" }), heartbeatAnswer: "HEARTBEAT_OK" });
  await expect(page.getByRole("list", { name: "Planned actions" })).toContainText("add nothing and are removed");
  await epitome.compactFor("Reducers only");
  await epitome.isCompacted();
  expect(JSON.stringify(await epitome.messages())).not.toContain("HEARTBEAT_OK");
  await expect(epitome.rows.nth(11)).toContainText("removed");
});

test("c5: as the last resort, the oldest messages are dropped", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(toolLoop(20, { resultWords: 300 }));
  await epitome.settle({ window: 12_000, preset: "team-none", reducers: [{ reducer: "dropOldest", when: "always" }], target: 0.5 });
  await expect(epitome.rows.nth(2)).toContainText("drop oldest");
  await epitome.compact();
  await epitome.isCompacted();
  const after = await epitome.messages();
  expect(breaches(after)).toEqual([]);
  expect(after[0]?.role).toBe("system");
  expect(after.length).toBeLessThan(40);
});
