// Strategies and other npm packages, side by side on one conversation.

import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { turns, written } from "./move.js";
import { EpitomePage, toolLoop } from "./page.js";

class Lab {
  readonly dialog: Locator;
  readonly heading: Locator;
  readonly table: Locator;
  readonly refusals: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.dialog = page.getByRole("dialog", { name: "Lab" });
    this.heading = this.dialog.getByRole("heading", { name: "Results" });
    this.table = this.dialog.getByRole("table", { name: "Strategies compared" });
    this.refusals = this.dialog.getByRole("list", { name: "What a provider would refuse" });
  }

  async open(): Promise<void> {
    await this.#page.getByRole("link", { name: "Lab" }).click();
    await this.button("Run").waitFor();
  }

  async run(): Promise<void> {
    await this.button("Run").click();
    await expect(this.heading).toBeFocused({ timeout: 50_000 });
  }

  button(name: string): Locator {
    return this.dialog.getByRole("button", { name, exact: true });
  }

  /** How many requests are refused and sent, by the names of the strategies that begin so. */
  async refused(name: string): Promise<[refused: number, sent: number][]> {
    const rows = await this.table.getByRole("row").filter({ has: this.#page.getByRole("rowheader", { name }) }).all();
    const cells = await Promise.all(rows.map((row) => row.getByRole("cell").first().innerText()));
    return cells.map((cell) => cell.split(" of ").map(Number) as [number, number]);
  }

  /** The text of a file that a button saves. */
  async saved(name: string): Promise<Buffer> {
    const saved = this.#page.waitForEvent("download");
    await this.button(name).click();
    return readFile(await (await saved).path());
  }
}

test("a link opens it; epitome’s requests are never refused, and long ones without a compaction are", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.tighten();
  const lab = new Lab(page);
  await lab.open();
  expect(await epitome.faults(), "before a run").toEqual([]);
  await lab.run();
  const own = await lab.refused("epitome");
  expect(own.length).toBeGreaterThan(2);
  for (const [refused, sent] of own) {
    expect(refused).toBe(0);
    expect(sent).toBeGreaterThan(40);
  }
  const [[nothing, all] = [0, 0]] = await lab.refused("No compaction");
  expect(nothing).toBeGreaterThan(0);
  expect(nothing).toBeLessThan(all);
  await expect(lab.refusals.getByRole("listitem").filter({ hasText: "No compaction" })).toContainText("longer than the window");
  for (const peer of ["AI SDK, pruneMessages", "LangChain, trimMessages", "LangChain, summarizationMiddleware", "context-chef, Janitor"]) {
    expect(await lab.refused(peer), peer).toHaveLength(1);
  }
  await expect(lab.dialog.getByRole("img")).toHaveCount(2);
  expect(await epitome.faults(), "after a run").toEqual([]);
  expect(epitome.errors).toEqual([]);
});

test("its figures follow the prices of the model, and are saved as CSV and PNG without a word of the conversation", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open("/#lab");
  const lab = new Lab(page);
  await lab.run();
  const [[, requests] = [0, 0]] = await lab.refused("No compaction");
  const before = await lab.table.innerText();
  await lab.dialog.getByLabel("Prices of").selectOption("gpt-5-mini");
  await expect(lab.table).not.toHaveText(before, { useInnerText: true });

  const csv = (await lab.saved("Download CSV")).toString("utf8");
  const [head = "", ...lines] = csv.trimEnd().split("\r\n");
  expect(head.split(",").slice(0, 4)).toEqual(["strategy", "request", "messages", "tokens"]);
  const strategies = (await lab.table.getByRole("row").count()) - 1;
  expect(lines).toHaveLength(strategies * requests);
  expect(lines[0]).toMatch(/^No compaction,1,\d+,\d+,0,,,false,0,0,0,0\.\d{6}$/);
  expect(csv).not.toContain("BW-48213");
  expect((await lab.saved("Download PNG")).subarray(1, 4).toString("latin1")).toBe("PNG");

  await page.keyboard.press("Escape");
  await expect(lab.dialog).toBeHidden();
  await expect.poll(() => new URL(page.url()).hash).toBe("");
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await page.getByRole("link", { name: "Lab" }).click();
  await expect(lab.table, "the results of the same conversation stay").toBeVisible();
});

test("a comparison is cancelled, and the focus is on what starts another one", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open("/#lab");
  const lab = new Lab(page);
  await lab.button("Run").click();
  await expect(lab.button("Cancel")).toBeFocused();
  await lab.button("Cancel").click();
  await expect(lab.dialog.getByText("Cancelled.")).toBeVisible();
  await expect(lab.button("Run")).toBeFocused();
  await expect(lab.table).toBeHidden();
});

test("a long tool loop leaves trimMessages nothing to send, and says which request that is", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(toolLoop(40));
  await epitome.tighten();
  const lab = new Lab(page);
  await lab.open();
  await lab.run();
  const [[refused] = [0]] = await lab.refused("LangChain, trimMessages");
  expect(refused).toBeGreaterThan(0);
  await expect(lab.refusals.getByRole("listitem").filter({ hasText: "trimMessages" }).first()).toContainText(/the first is \d+/);
  const [[ofEpitome] = [1]] = await lab.refused("epitome, your settings");
  expect(ofEpitome).toBe(0);
});

test("a conversation in another format is converted, and counted exactly if the settings say so", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load(written.anthropic(turns(10)).document);
  await epitome.settle({ window: 6_000, counting: { encoding: "o200k_base" } });
  const lab = new Lab(page);
  await lab.open();
  await lab.run();
  await expect(lab.dialog).toContainText("converted from the format anthropic to openai-chat");
  const [[refused, sent] = [1, 0]] = await lab.refused("epitome, your settings");
  expect(refused).toBe(0);
  expect(sent, "three requests in each turn").toBe(30);
});

test("the other packages are fetched only when it is opened, and break no rule of the page’s policy", async ({ page }) => {
  await page.addInitScript(() => {
    const broken: string[] = [];
    document.addEventListener("securitypolicyviolation", (event) => broken.push(event.violatedDirective));
    Object.assign(globalThis, { broken });
  });
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (/\.(js|wasm)$/.test(new URL(request.url()).pathname)) scripts.push(request.url());
  });
  const epitome = new EpitomePage(page);
  await epitome.open();
  const first = scripts.length;
  expect(scripts.filter((address) => address.endsWith(".wasm")), "the two files of the page’s own module").toHaveLength(2);
  const lab = new Lab(page);
  await lab.open();
  expect(scripts.length).toBeGreaterThan(first);
  await lab.run();
  expect(await page.evaluate(() => (globalThis as unknown as { broken: string[] }).broken)).toEqual([]);
});
