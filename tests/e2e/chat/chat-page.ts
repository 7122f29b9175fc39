// Page object of the chat page, which finds everything by roles and names.

import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Locator, type Page } from "@playwright/test";

export class ChatPage {
  readonly log: Locator;
  readonly meter: Locator;
  readonly message: Locator;
  readonly alert: Locator;
  readonly notices: Locator;
  readonly stop: Locator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.log = page.getByRole("log");
    this.meter = page.getByRole("meter", { name: "Context window", exact: true });
    this.message = page.getByRole("textbox", { name: "Message", exact: true });
    this.alert = this.log.getByRole("alert");
    this.notices = this.log.locator("summary");
    this.stop = this.button("Stop");
  }

  /** Opens the page on the server of this port. */
  async open(port = 18430): Promise<void> {
    await this.#page.goto(`http://127.0.0.1:${port}/chat/`);
    await expect(this.meter).toHaveAttribute("aria-valuetext", /^ok, about/);
  }

  button(name: string): Locator {
    return this.#page.getByRole("button", { name, exact: true });
  }

  answers(): Locator {
    return this.log.getByRole("article").filter({ hasText: /^Model/ });
  }

  /** Sends a message and waits until the page is idle again. */
  async say(text: string): Promise<void> {
    await this.message.fill(text);
    await this.message.press("Enter");
    await this.idle();
  }

  async sendExample(): Promise<void> {
    await this.button("Send a long example").click();
    await this.idle();
  }

  /** Waits until a page that was opened without a message takes input. */
  async empty(): Promise<void> {
    await expect(this.log.getByRole("article")).toHaveCount(0);
    await expect(this.meter).toHaveAttribute("aria-valuetext", /tokens/);
  }

  async idle(): Promise<void> {
    await expect(this.button("Send")).toBeVisible();
  }

  /** Sends example messages until the page has compacted automatically. */
  async fill(): Promise<void> {
    for (let turn = 0; turn < 12 && (await this.notices.count()) === 0; turn += 1) {
      await this.sendExample();
    }
    await expect(this.notices).toHaveCount(1);
  }

  /** Saves other settings, by the names of their fields. */
  async change(settings: Record<string, string>): Promise<void> {
    await this.button("Settings").click();
    for (const [label, value] of Object.entries(settings)) {
      await this.#page.getByLabel(label).fill(value);
    }
    await this.button("Save").click();
  }

  /** Adds an agent to the conversation. */
  async addAgent(name: string, role: string): Promise<void> {
    await this.button("Add an agent").click();
    await this.#page.getByLabel("Name").fill(name);
    await this.#page.getByLabel("Role").fill(role);
    await this.button("Add").click();
    await expect(this.meterOf(name)).toBeVisible();
  }

  /** The meter of an agent. */
  meterOf(name: string): Locator {
    return this.#page.getByRole("meter", { name: `Context window of ${name}`, exact: true });
  }

  /** The box that makes the next message private for an agent. */
  onlyFor(name: string): Locator {
    return this.#page.getByRole("group", { name: "Only for" }).getByRole("checkbox", { name, exact: true });
  }

  /** Who answers the next message. */
  get answeredBy(): Locator {
    return this.#page.getByRole("combobox", { name: "Answered by" });
  }

  /** The author of each message, with what is said about who sees it. */
  get authors(): Locator {
    return this.log.getByRole("article").getByRole("heading");
  }

  /** Sends a message, and returns what the model got for it. */
  async asked(text: string): Promise<{ role: string; content: string; name?: string }[]> {
    const asking = this.#page.waitForRequest((request) => request.method() === "POST");
    await this.say(text);
    return ((await asking).postDataJSON() as { messages: { role: string; content: string; name?: string }[] }).messages;
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
}

/** A scripted endpoint; see tests/servers. */
export const scripted = (scenario: string): string => `http://127.0.0.1:18431/${scenario}/v1`;
