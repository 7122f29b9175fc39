// Why a provider refused a request, and what repairs it.

import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { EpitomePage, type Message } from "./page.js";

class Doctor {
  readonly dialog: Locator;
  readonly issues: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.dialog = page.getByRole("dialog", { name: "Doctor" });
    this.issues = this.dialog.getByRole("list", { name: "What is wrong" }).getByRole("listitem");
  }

  async examine(messages: unknown, error = ""): Promise<void> {
    await this.#page.getByLabel("The request", { exact: true }).fill(JSON.stringify(messages));
    await this.#page.getByLabel("The error").fill(error);
    await this.dialog.getByRole("button", { name: "Examine" }).click();
    await expect(this.dialog.getByRole("heading", { name: "Diagnosis" })).toBeFocused();
  }
}

test("a link opens it, and it says which message, which rule and which compaction", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open("/#doctor");
  const doctor = new Doctor(page);
  await expect(doctor.dialog).toBeVisible();
  await doctor.dialog.getByRole("button", { name: "A result without its call" }).click();
  const issue = doctor.issues.filter({ hasText: "every result has its call" });
  await expect(issue).toContainText("Message 2");
  await expect(issue).toContainText("named by the error");
  await expect(issue).toContainText("The compaction that wrote the summary in message 1 took away the call");
  await expect(doctor.dialog.getByRole("list", { name: "What a repair does" })).toContainText("Message 2 is removed.");
  expect(await epitome.faults()).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(doctor.dialog).toBeHidden();
  await expect.poll(() => new URL(page.url()).hash).toBe("");
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
});

test("the repaired request is downloaded, and the provider accepts it", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.getByRole("link", { name: "Doctor" }).click();
  const doctor = new Doctor(page);
  const call = { id: "call_1", type: "function", function: { name: "track", arguments: '{"order"' } };
  const broken = [
    { role: "user", content: "Where is it?" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "user", content: "Hello?" },
  ];
  await doctor.examine(broken, "400 An assistant message with 'tool_calls' must be followed by tool messages (messages[2])");
  await expect(doctor.issues.filter({ hasText: "every call has its result" })).toContainText("named by the error");
  await expect(doctor.issues.filter({ hasText: "arguments of a call are JSON" })).toHaveCount(1);
  const saved = page.waitForEvent("download");
  await doctor.dialog.getByRole("button", { name: "Download the repaired messages" }).click();
  const repaired = JSON.parse(await readFile(await (await saved).path(), "utf8")) as Message[];
  expect(repaired.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  await doctor.examine(repaired);
  await expect(doctor.dialog).toContainText("No rule of this format is broken.");
  await doctor.dialog.getByRole("button", { name: "Open as a conversation" }).click();
  await epitome.isLoaded("Pasted text");
  await expect(epitome.rows).toHaveCount(4);
});

test("thinking that is bound to other messages is found by the request before", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open("/#doctor");
  const doctor = new Doctor(page);
  await doctor.dialog.getByRole("button", { name: "Claude’s thinking, moved" }).click();
  await expect(doctor.issues.filter({ hasText: "reasoning stays behind the messages it was written behind" })).toContainText("Message 2");
});

test("an error about length or about the key is told apart from one about the messages", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open("/#doctor");
  const doctor = new Doctor(page);
  const fine = [{ role: "user", content: "hi" }];
  await doctor.examine(fine, "400 This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.");
  await expect(doctor.dialog).toContainText("does not fit the window (131,072 tokens, at most 128,000)");
  await doctor.examine(fine, "HTTP 401: invalid key");
  await expect(doctor.dialog).toContainText("about the key, the name of the model, a quota or a rate");
  await page.getByLabel("The request", { exact: true }).fill("not JSON");
  await doctor.dialog.getByRole("button", { name: "Examine" }).click();
  await expect(doctor.dialog.getByRole("alert")).toContainText("This is not JSON");
  expect(await epitome.faults()).toEqual([]);
});

test("what the model sees after a compaction breaks no rule", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await page.getByRole("link", { name: "Doctor" }).click();
  const doctor = new Doctor(page);
  await doctor.dialog.getByRole("button", { name: "What the model sees now" }).click();
  await expect(doctor.dialog).toContainText("The provider accepts it.");
  await expect(doctor.issues).toHaveCount(0);
  await expect(doctor.dialog.getByText(/^\d+ things that some servers of this format refuse$/)).toBeVisible();
});
