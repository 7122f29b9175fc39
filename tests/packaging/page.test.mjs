// The page's main job in each browser engine, by pointer and by keyboard, on the built page as the demo server serves it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { By, until } from "selenium-webdriver";
import { ENGINES, inEngine, missing } from "./engines.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = process.env.EPITOME_SERVE || join(root, "target/release/epitome-serve");
const noServer = existsSync(program) ? false : `${program} is not there`;
/** A folder for screenshots of each state. */
const SHOTS = process.env.EPITOME_SHOTS;
const PATIENCE = 60_000;
let server;
let address;

before(async () => {
  if (noServer) {
    return;
  }
  server = spawn(program, ["--page", "dist", "--chat", "www/dist", "--port", "0"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  address = String(line).match(/http:\S+/)[0];
});

after(() => server?.kill());

/** What the tests do with the page, as a person sees it. */
class OpenPage {
  #session;
  #name;
  #shots = 0;

  constructor(session, name) {
    this.#session = session;
    this.#name = name;
  }

  #seen(path) {
    return this.#session.wait(until.elementLocated(By.xpath(path)), PATIENCE, `waited for ${path}`);
  }

  /** Waits until a conversation is open. */
  async isLoaded(title) {
    // What the page shows before its app is there is hidden from everybody but the eye.
    await this.#seen('//body[not(*[@id="first-paint"])]/main[@aria-busy="false"]');
    await this.#seen(`//h2[contains(., "${title}")]`);
  }

  button(name) {
    return this.#seen(`//button[normalize-space()="${name}" or @aria-label="${name}"]`);
  }

  /** Waits until the conversation is compacted, and returns what the page says about it. */
  async compacted() {
    await this.button("Undo the compaction");
    return (await this.#seen('//section[contains(., "→")]')).getText();
  }

  /** Waits until the compaction is taken back. */
  undone() {
    const path = By.xpath('//button[normalize-space()="Undo the compaction" or @aria-label="Undo the compaction"]');
    return this.#session.wait(async () => (await this.#session.findElements(path)).length === 0, PATIENCE, "waited for the undo");
  }

  press(keys) {
    return this.#session.actions().sendKeys(keys).perform();
  }

  /** The element that has the focus. */
  async focused() {
    return (await this.#session.switchTo().activeElement()).getTagName();
  }

  /** True if a button can be seen without scrolling. */
  async isInView(name) {
    const script = "const { top, bottom } = arguments[0].getBoundingClientRect(); return top >= 0 && bottom <= innerHeight;";
    return this.#session.executeScript(script, await this.button(name));
  }

  async shoot() {
    if (SHOTS) {
      await mkdir(SHOTS, { recursive: true });
      this.#shots += 1;
      await writeFile(join(SHOTS, `${this.#name}-${this.#shots}.png`), await this.#session.takeScreenshot(), "base64");
    }
  }
}

const WAYS = {
  "by pointer": {
    open: async (page) => (await page.button("A coding session")).click(),
    compact: async (page) => (await page.button("Compact now")).click(),
    undo: async (page) => (await page.button("Undo the compaction")).click(),
  },
  "by keyboard": {
    open: (page) => page.press("2"),
    compact: (page) => page.press("c"),
    undo: (page) => page.press("u"),
  },
};

for (const [name, engine] of Object.entries(ENGINES)) {
  for (const [way, { open, compact, undo }] of Object.entries(WAYS)) {
    test(`in ${name}, a sample is opened, compacted and taken back ${way}, with what matters in view`, { skip: noServer || missing(engine) }, async () => {
      await inEngine(engine, address, async (session) => {
        await session.manage().window().setRect({ width: 1280, height: 900 });
        const page = new OpenPage(session, `${name}-${way.replaceAll(" ", "-")}`);
        await page.isLoaded("Customer support");
        await page.shoot();
        await open(page);
        await page.isLoaded("A coding session");
        assert.ok(await page.isInView("Compact now"));
        await compact(page);
        assert.match(await page.compacted(), /\d\s*→\s*[\d,]+\s*tokens[^]*still a legal request/);
        assert.ok(await page.isInView("Undo the compaction"));
        assert.notEqual(await page.focused(), "body");
        await page.shoot();
        await undo(page);
        await page.undone();
        assert.notEqual(await page.focused(), "body");
        await page.shoot();
      });
    });
  }
}
