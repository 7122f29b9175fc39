// Page object of the demo page, which finds everything by roles and names.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

const port = (name: string, usual: number): number => Number(process.env[name] ?? usual);

/** The server that answers slowly, piece by piece. */
export const SLOW = `http://127.0.0.1:${port("EPITOME_SLOW_PORT", 18432)}/`;

/** The base URL of a server that behaves as the scenario says. */
export function scripted(scenario: string): string {
  return `http://127.0.0.1:${port("EPITOME_SCRIPTED_PORT", 18431)}/${scenario}/v1`;
}

export const SAMPLES = ["Customer support", "A coding session", "Planning a trip"] as const;

/** The path of a recorded conversation, which is not part of the repository. */
export function recorded(name: string): string {
  const folder = process.env["EPITOME_DATA"] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
  return `${folder}/${name}`;
}

export function isThere(name: string): boolean {
  return existsSync(recorded(name));
}

export type Call = { id: string; type?: string; function?: { name: string; arguments: string } };

export type Message = { role: string; content?: unknown; tool_calls?: Call[]; tool_call_id?: string };

/** A conversation of one request with `rounds` of one tool call each, with arguments and results of this length. */
export function toolLoop(rounds: number, { argumentWords = 2, resultWords = 60 } = {}): Message[] {
  const words = (count: number, what: string) => Array.from({ length: count }, (_, index) => `${what}${index + 1}`).join(" ");
  const loop = Array.from({ length: rounds }, (_, index): Message[] => {
    const id = `call_${index + 1}`;
    const call = { name: "search", arguments: JSON.stringify({ query: words(argumentWords, `q${index + 1}x`) }) };
    return [
      { role: "assistant", content: `Round ${index + 1}.`, tool_calls: [{ id, type: "function", function: call }] },
      { role: "tool", tool_call_id: id, content: words(resultWords, `r${index + 1}x`) },
    ];
  });
  return [
    { role: "system", content: "You look things up." },
    { role: "user", content: "Look everything up." },
    ...loop.flat(),
    { role: "assistant", content: "That is all." },
  ];
}

export class EpitomePage {
  readonly meter: Locator;
  readonly alert: Locator;
  readonly rows: Locator;
  /** The places in the list where compactions end. */
  readonly dividers: Locator;
  readonly details: Locator;
  /** The dialog with all settings. */
  readonly sheet: Locator;
  readonly undo: Locator;
  readonly result: Locator;
  readonly findings: Locator;
  /** Uncaught errors. */
  readonly errors: string[] = [];
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.meter = page.getByRole("meter", { name: "Context window" });
    this.alert = page.getByRole("alert");
    this.rows = page.getByRole("list", { name: "Messages" }).getByRole("button", { name: / tokens / });
    this.dividers = page.getByRole("list", { name: "Messages" }).getByRole("button", { name: /^Compaction \d/ });
    this.details = page.getByRole("dialog");
    this.sheet = page.getByRole("dialog", { name: "All settings" });
    this.undo = this.button("Undo the compaction");
    this.result = page.getByRole("region", { name: "The conversation now" });
    this.findings = page.getByRole("list", { name: "Findings" });
    page.on("pageerror", (error) => {
      this.errors.push(String(error));
      // A page whose engine has stopped answers nothing more: what then fails first says nothing of the cause.
      console.error(`uncaught in the page: ${error.stack ?? String(error)}`);
    });
    page.on("console", (message) => {
      if (message.text().includes("panicked at")) console.error(message.text());
    });
  }

  async open(address = "/"): Promise<void> {
    await this.#page.goto(address);
    await this.isLoaded(SAMPLES[0]);
  }

  button(name: string): Locator {
    return this.#page.getByRole("button", { name, exact: true });
  }

  async openSample(name: string): Promise<void> {
    await this.button(name).click();
    await this.isLoaded(name);
  }

  async pick(file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    await this.#page.getByLabel("Open your own").setInputFiles(file);
  }

  /** Opens one of the conversations of a file, counted from 0. */
  async choose(index: number): Promise<void> {
    await this.#page.getByLabel(/The file has/).selectOption({ index });
    await this.button("Open this one").click();
  }

  async paste(text: string): Promise<void> {
    await this.openPasteField();
    await this.#page.getByRole("textbox", { name: "A conversation" }).fill(text);
    await this.button("Read the text").click();
    await this.isSettled();
  }

  /** Shows the field to paste into, and what is loaded of a document. */
  async openPasteField(): Promise<void> {
    const summary = this.#page.getByText("paste it into a field");
    if (!(await this.button("Read the text").isVisible())) await summary.click();
  }

  async isLoaded(name: string | RegExp = /./): Promise<void> {
    await this.isSettled();
    await this.#page.getByRole("heading", { level: 2, name }).first().waitFor();
    await this.meter.waitFor();
  }

  // What follows is waited for where tasks of the page are measured. An expectation that is not met yet would describe the whole
  // page to the test, which is a long task.

  /** What was opened is loaded or refused. */
  async isSettled(): Promise<void> {
    // Its place is the app's as soon as all of the app is there.
    await this.#page.locator("#first-paint").waitFor({ state: "detached" });
    await this.#page.locator('main[aria-busy="false"]').waitFor();
  }

  /** The conversation on the page is stored. */
  async isStored(): Promise<void> {
    await this.#page.getByText("kept in this browser").waitFor();
  }

  /** The last compaction is undone. */
  async isUndone(): Promise<void> {
    await this.undo.waitFor({ state: "detached" });
  }

  /** What has the focus: its id, or the name of its element. */
  focused(): Promise<string> {
    return this.#page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName || "nothing");
  }

  /** Sets a window that the conversation overflows. */
  async tighten(): Promise<void> {
    await this.button("60 % of this conversation").click();
    await this.meter.and(this.#page.locator('[aria-valuetext*="time to compact"]')).waitFor();
  }

  async summarizeAt(baseUrl: string): Promise<void> {
    await this.#page.getByRole("radio", { name: "OpenAI-compatible endpoint" }).check();
    await this.#page.getByLabel("Base URL").fill(baseUrl);
  }

  async summarizeHere(): Promise<void> {
    await this.#page.getByRole("radio", { name: "This server" }).check();
  }

  async summarizeInPage(): Promise<void> {
    await this.#page.getByRole("radio", { name: "In this page" }).check();
  }

  /** Fails a request that is silent for this long. */
  async setPatience(seconds: number): Promise<void> {
    await this.#page.getByText("Timeout and headers").click();
    await this.#page.getByLabel("Give up after this many seconds of silence").fill(String(seconds));
  }

  async compact(): Promise<void> {
    await this.button("Compact now").click();
  }

  async isCompacted(): Promise<void> {
    await this.undo.waitFor({ timeout: 60_000 });
    await this.result.filter({ hasText: "→" }).waitFor();
  }

  /** The text that “Download messages” saves. */
  async exported(name = "Download messages"): Promise<string> {
    await this.openExports();
    const saved = this.#page.waitForEvent("download");
    await this.button(name).click();
    return readFile(await (await saved).path(), "utf8");
  }

  /** Shows the ways to export the conversation. */
  async openExports(): Promise<void> {
    if (!(await this.button("Download messages").isVisible())) await this.result.getByText("Export", { exact: true }).click();
  }

  async messages(): Promise<Message[]> {
    return JSON.parse(await this.exported()) as Message[];
  }

  /** Shows a topic of the dialog with all settings. */
  async openSettings(topic = "When to compact"): Promise<Locator> {
    if (!(await this.sheet.isVisible())) await this.button("All settings").click();
    const topics = this.sheet.getByRole("navigation", { name: "Topics" });
    await topics.getByRole("button", { name: topic }).click();
    return this.sheet;
  }

  async closeSettings(): Promise<void> {
    await this.sheet.getByRole("button", { name: "Close" }).click();
    // Its fields are in the document until its `close` event, and some have the labels of fields beside the conversation.
    await expect(this.#page.locator("#settings-sheet > *")).toHaveCount(0);
  }

  /** Opens a part of the page that is collapsed at first. */
  async unfold(title: string): Promise<void> {
    const section = this.#page.getByRole("group").filter({ hasText: title }).locator("summary").filter({ hasText: title }).first();
    if ((await section.evaluate((summary) => (summary.parentElement as HTMLDetailsElement).open)) === false) await section.click();
  }

  async choosePreset(label: string): Promise<void> {
    await (await this.openSettings()).getByLabel("Preset").selectOption(label);
    await this.closeSettings();
  }

  /** Sets a policy, given as JSON. */
  async applyJson(policy: unknown): Promise<void> {
    const sheet = await this.openSettings("JSON and TypeScript");
    await sheet.getByLabel("All settings as JSON").fill(typeof policy === "string" ? policy : JSON.stringify(policy));
    await this.button("Apply").click();
  }

  /** Sets a policy that must be valid. */
  async settle(policy: object): Promise<void> {
    await this.applyJson(policy);
    await expect(this.button("Apply")).toBeDisabled();
    await this.closeSettings();
  }

  async compactFor(reason: string): Promise<void> {
    await this.#page.getByLabel("Reason", { exact: true }).selectOption(reason);
    await this.compact();
  }

  /** Reports a phase of the app's request loop to the engine. */
  async check(phase: string): Promise<void> {
    await this.unfold("What is due at");
    await this.button(`Check now: ${phase}`).click();
  }

  /** What is due at a phase, in words. */
  due(phase: string): Locator {
    const check = this.button(`Check now: ${phase.toLowerCase()}`);
    return this.#page.getByRole("list", { name: "What is due" }).getByRole("listitem").filter({ has: check });
  }

  /** What the provider counted for the last call. */
  async readUsage(prompt: number, completion: number): Promise<void> {
    await this.unfold("What is due at");
    await this.#page.getByLabel("Prompt", { exact: true }).fill(String(prompt));
    await this.#page.getByLabel("Completion", { exact: true }).fill(String(completion));
    await this.button("Record usage").click();
  }

  async openTasks(text: string): Promise<void> {
    await this.unfold("Open tasks");
    const tasks = this.#page.getByRole("textbox", { name: "Open tasks" });
    await tasks.fill(text);
    await tasks.blur();
  }

  /** The events, as the page shows them. */
  async events(): Promise<string[]> {
    const list = this.#page.getByRole("list", { name: "Events" });
    if (!(await list.isVisible())) await this.result.getByText(/^\d+ events?$/).click();
    return list.getByRole("listitem").allTextContents();
  }

  async load(document: unknown, name = "written.json"): Promise<void> {
    await this.pick({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(document)) });
    await this.isLoaded(name);
  }

  /** The faults that axe finds. */
  async faults(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.#page }).analyze();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }

  /** By how many pixels the page is wider than the window. */
  overflow(): Promise<number> {
    return this.#page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  /** Milliseconds from the text to the conversation on display. */
  loadTime(): Promise<number> {
    return this.#page.evaluate(() => performance.getEntriesByName("epitome:load", "measure").at(-1)?.duration ?? Number.NaN);
  }

  /** How many commits the browser has of all conversations. */
  commits(): Promise<number> {
    return this.#page.evaluate(
      () =>
        new Promise<number>((resolve, reject) => {
          const request = indexedDB.open("epitome-page");
          request.onerror = () => reject(request.error);
          request.onsuccess = () => {
            const counted = request.result.transaction("commits").objectStore("commits").count();
            counted.onsuccess = () => (request.result.close(), resolve(counted.result));
          };
        }),
    );
  }

  async memory(): Promise<number> {
    return Number(await this.#page.locator("html").getAttribute("data-wasm-memory"));
  }
}

/** How a list of messages breaks the rules of the API; empty if it does not. */
export function breaches(messages: Message[]): string[] {
  const found: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id ?? "")) found.push(`message ${index} answers no call`);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) found.push(`calls before message ${index} are not answered`);
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  if (open.length > 0) found.push("the last calls are not answered");
  return found;
}
