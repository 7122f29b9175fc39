// Every setting can be edited as JSON, for all agents and for one.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("an error in the JSON is named, and the former policy stays", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  await epitome.openSettings("JSON and TypeScript");
  const json = page.getByLabel("All settings as JSON");
  const before = JSON.parse(await json.inputValue());
  expect(before).toMatchObject({ preset: "recommended", window: 8000, target: 0.5 });
  const wrong: [text: string, error: RegExp][] = [
    [JSON.stringify({ ...before, target: 7 }), /policy\.target: is 7; give a share/],
    [JSON.stringify({ ...before, tresholds: 1 }), /policy\.tresholds: unknown field/],
    [JSON.stringify({ ...before, window: "large" }), /policy\.window: invalid type/],
    [JSON.stringify({ ...before, triggers: [{ fill: { fraction: 2 } }] }), /policy\.triggers\[0\]\.fill\.fraction: is 2/],
    ['{ "preset": ', /This is not JSON: .*line 1/],
  ];
  for (const [text, error] of wrong) {
    await epitome.applyJson(text);
    await expect(json).toHaveAccessibleDescription(error);
    await expect(json).toHaveAttribute("aria-invalid", "true");
    await expect(json).toHaveValue(text);
    await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 6,000/);
  }
  await epitome.button("Discard").click();
  expect(JSON.parse(await json.inputValue())).toEqual(before);
  await expect(json).toHaveAttribute("aria-invalid", "false");

  await epitome.settle({ ...before, triggers: [{ tokens: 5000 }], summary: { ...before.summary, chunks: 3 } });
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /compacts at 5,000/);
  await expect(page.getByLabel("Threshold")).toHaveValue("5000");
  await expect(page.getByText(/[3-5] requests to the summarizer/)).toBeVisible();
});

test("fields that the form does not show survive changes in the form", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const trigger = { all: [{ tokens: 3000 }, { messages: 4 }] };
  await epitome.settle({ window: 8000, triggers: [trigger, { reactive: {} }] });
  const sheet = await epitome.openSettings("When to compact");
  await expect(sheet.getByLabel("Compact at")).toHaveValue("other");
  await sheet.getByLabel("Compact down to").fill("30");
  await sheet.getByLabel("Micro compaction at").fill("60");
  await epitome.openSettings("JSON and TypeScript");
  const written = JSON.parse(await page.getByLabel("All settings as JSON").inputValue());
  expect(written).toMatchObject({ target: 0.3, triggers: [trigger, { reactive: { microFraction: 0.6, maxPerRequest: 3 } }] });
});

test("b10: an agent has a window of its own, and thresholds by it", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings("Several agents");
  await sheet.getByLabel("Agent (optional)").fill("coder");
  await page.keyboard.press("Tab");
  await epitome.openSettings("Window and counting");
  await sheet.getByLabel("Window of the model").fill("32000");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 32,000 tokens .*compacts at 24,000/);
  await epitome.openSettings("JSON and TypeScript");
  const written = JSON.parse(await page.getByLabel("All settings as JSON").inputValue());
  expect(written).toMatchObject({ window: 8000, agents: { coder: { window: 32000 } } });
  await epitome.button("Back to the settings of all agents").click();
  await expect(sheet.getByLabel("Preset")).toBeFocused();
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 8,000 tokens .*compacts at 6,000/);
});

test("b10: what a team shares, and what happens to a summary that went wrong, is set where it is looked for", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings("Several agents");
  await sheet.getByLabel("Entries blended at a time").fill("20");
  await expect(sheet.getByText(/^Not valid: Entries blended at a time/)).toBeVisible();
  await sheet.getByLabel("Blend the memory at").fill("30");
  await sheet.getByLabel("The memory behind each summary").check();
  await sheet.getByLabel("Agent that summarizes tasks for all").fill("scribe");
  await epitome.openSettings("The summary");
  await sheet.getByLabel("Names and numbers in no message").selectOption("They are marked in it");
  await epitome.openSettings("Asking the summarizer");
  await sheet.getByLabel("If the summarizer fails, ask").fill("backup, extractive");
  await epitome.openSettings("What stays");
  await sheet.getByLabel("Answer to a heartbeat").fill("HEARTBEAT_OK");
  await epitome.openSettings("JSON and TypeScript");
  const written = JSON.parse(await page.getByLabel("All settings as JSON").inputValue());
  expect(written).toMatchObject({
    memory: { blendAt: 30, blend: 20, inSummary: true },
    tasks: { sharedBy: "scribe" },
    heartbeatAnswer: "HEARTBEAT_OK",
    summary: { unsupported: "annotate", fallbackSummarizers: ["backup", "extractive"] },
  });
});

test("d11: without a summarizer, only reducers work", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Customer support");
  const sheet = await epitome.openSettings("The summary");
  await sheet.getByLabel("Written by").selectOption("No summary: only savings without a model");
  await expect(page.getByText("nothing is left to summarize", { exact: false }).or(page.getByText("No summary is requested."))).toBeVisible();
  await sheet.getByLabel("Written by").selectOption("The conversation’s model, with your prompt");
  await sheet.getByLabel("Your prompt").fill("One line for each order number.");
  await epitome.closeSettings();
  const asked = page.waitForRequest((request) => request.url().endsWith("/v1/chat/completions"));
  await epitome.compact();
  expect((await asked).postData()).toContain("One line for each order number.");
  await epitome.isCompacted();
});
