// The page in other languages: the choice, the main job, the direction of writing, and what happens without network or catalog.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

interface Catalog {
  texts: Record<string, string>;
  plurals: Record<string, Record<string, string>>;
}

const LANGUAGES = [
  { code: "he", title: "עברית", dir: "rtl", script: /\p{Script=Hebrew}/u },
  { code: "zh", title: "中文", dir: "ltr", script: /\p{Script=Han}/u },
] as const;

type Code = (typeof LANGUAGES)[number]["code"];

/** A text of the page in a language. */
function say(code: Code, english: string): string {
  const path = fileURLToPath(new URL(`../../../web/languages/${code}.json`, import.meta.url));
  const { texts } = JSON.parse(readFileSync(path, "utf8")) as Catalog;
  const text = texts[english];
  if (text === undefined) throw new Error(`no text for “${english}”`);
  return text;
}

/** The page in a language, with everything that the app shows first. */
async function open(page: Page, address: string): Promise<EpitomePage> {
  const epitome = new EpitomePage(page);
  await page.goto(address);
  await epitome.isSettled();
  return epitome;
}

const menu = (page: Page): Locator => page.locator("header details.language > summary");

async function choose(page: Page, title: string): Promise<void> {
  await menu(page).click();
  await page.getByRole("link", { name: title, exact: true }).click();
}

async function isIn(page: Page, code: string, dir: string): Promise<void> {
  await new EpitomePage(page).isSettled();
  await expect(page.locator("html")).toHaveAttribute("lang", code);
  await expect(page.locator("html")).toHaveAttribute("dir", dir);
}

for (const { code, title, dir, script } of LANGUAGES) {
  test(`${code} is chosen by pointer, and stays for the next visit until another one is chosen`, async ({ page }) => {
    await open(page, "/?from=here");
    await choose(page, title);
    await page.waitForURL(`**/${code}.html?from=here`);
    await isIn(page, code, dir);
    await expect(page).toHaveTitle(script);
    await expect(page.getByRole("button", { name: say(code, "Compact now") })).toBeVisible();
    await expect(page.locator("header .tagline")).toHaveText(script);

    await page.goto("/?x=1#doctor", { waitUntil: "commit" });
    await page.waitForURL(`**/${code}.html?x=1#doctor`);
    await page.goto("/", { waitUntil: "commit" });
    await page.waitForURL(`**/${code}.html`);
    await isIn(page, code, dir);
    await choose(page, "English");
    await page.waitForURL(({ pathname }) => pathname === "/");
    await isIn(page, "en", "ltr");
    await page.goto("/");
    await isIn(page, "en", "ltr");
    expect(new URL(page.url()).pathname).toBe("/");
  });

  test(`${code} is chosen by keyboard`, async ({ page }) => {
    await open(page, "/");
    for (let presses = 0; presses < 20 && !(await menu(page).evaluate((summary) => summary === document.activeElement)); presses += 1) {
      await page.keyboard.press("Tab");
    }
    await expect(menu(page)).toBeFocused();
    await page.keyboard.press("Enter");
    const link = page.getByRole("link", { name: title, exact: true });
    for (let presses = 0; presses < 4 && !(await link.evaluate((found) => found === document.activeElement)); presses += 1) {
      await page.keyboard.press("Tab");
    }
    await expect(link).toBeFocused();
    await expect(link).toHaveAttribute("lang", code);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/${code}.html`);
    await isIn(page, code, dir);
    await menu(page).press("Enter");
    await expect(page.getByRole("link", { name: title, exact: true })).toHaveAttribute("aria-current", "true");
  });

  test(`a conversation is compacted, and the compaction undone, in ${code}`, async ({ page }) => {
    const epitome = await open(page, `/${code}.html`);
    const meter = page.getByRole("meter", { name: say(code, "Context window") });
    await expect(meter).toHaveAttribute("aria-valuenow", "6917");
    await page.getByRole("button", { name: say(code, "Compact now"), exact: true }).click();
    const undo = page.getByRole("button", { name: say(code, "Undo the compaction") });
    await expect(undo).toBeVisible();
    await expect.poll(async () => Number(await meter.getAttribute("aria-valuenow"))).toBeLessThan(6000);
    await expect(page.getByRole("region", { name: say(code, "The conversation now") })).toContainText("6,917");
    await undo.click();
    await expect(undo).toHaveCount(0);
    await expect(meter).toHaveAttribute("aria-valuenow", "6917");
    expect(epitome.errors).toEqual([]);
  });

  test(`a conversation stays when the page goes to ${code}`, async ({ page }) => {
    const epitome = await open(page, "/");
    await epitome.paste("User: Where is the key?\n\nAssistant: Under the mat.");
    await epitome.isLoaded("Pasted text");
    await epitome.isStored();
    await choose(page, title);
    await isIn(page, code, dir);
    await expect(page.getByRole("button", { name: /Where is the key\?/ })).toBeVisible();
    await expect(page.getByRole("button", { name: /Under the mat\./ })).toBeVisible();
  });

  for (const [width, colorScheme] of [
    [1440, "light"],
    [768, "dark"],
    [360, "light"],
    [320, "dark"],
  ] as const) {
    test(`axe finds no faults in ${code}, ${width} pixels wide, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      const epitome = await open(page, `/${code}.html`);
      const look = async (what: string) => {
        expect(await epitome.faults(), what).toEqual([]);
        expect(await epitome.overflow(), what).toBe(0);
        await page.screenshot({ path: `out/page-${code}-${colorScheme}-${width}-${what}.png`, fullPage: !what.startsWith("dialog") });
      };
      await look("start");
      await menu(page).click();
      await expect(page.getByRole("link", { name: "English", exact: true })).toBeInViewport({ ratio: 1 });
      await look("menu");
      await menu(page).click();
      await page.getByRole("button", { name: say(code, "Compact now"), exact: true }).click();
      await expect(page.getByRole("button", { name: say(code, "Undo the compaction") })).toBeVisible();
      await look("compacted");
      await page.keyboard.press(",");
      await expect(page.getByRole("dialog", { name: say(code, "All settings") })).toBeVisible();
      await look("dialog-settings");
      await page.keyboard.press("Escape");
      await page.getByRole("list", { name: say(code, "Messages"), exact: true }).getByRole("button").nth(3).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await look("dialog-message");
    });
  }

  test(`a page that was opened in ${code} opens in it without a network, and one in another language is in English`, async ({ browser, baseURL }) => {
    const context = await browser.newContext({ serviceWorkers: "allow", ...(baseURL !== undefined && { baseURL }) });
    const page = await context.newPage();
    await open(page, `/${code}.html`);
    await page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      if (active?.state === "activating") await new Promise((resolve) => active.addEventListener("statechange", resolve));
    });
    await context.setOffline(true);
    // What the worker itself would fetch.
    await context.route("**", (route) => route.abort());
    await page.reload();
    await isIn(page, code, dir);
    await page.getByRole("button", { name: say(code, "Compact now"), exact: true }).click();
    await expect(page.getByRole("button", { name: say(code, "Undo the compaction") })).toBeVisible();
    // The choice leads to a document that is out of reach. What stands in for it leads nowhere.
    const other = code === "he" ? "zh" : "he";
    await page.evaluate((chosen) => localStorage.setItem("epitome-language", chosen), other);
    await page.goto("/", { waitUntil: "commit" });
    await page.waitForURL(`**/${other}.html`);
    await isIn(page, "en", "ltr");
    await context.close();
  });

  test(`without its catalog, the page in ${code} is in English and says so`, async ({ page }) => {
    await page.route(`**/assets/${code}-*.json`, (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto(`/${code}.html`);
    await isIn(page, "en", "ltr");
    const notice = page.getByRole("alert").filter({ hasText: say(code, "The texts of this page could not be fetched, so it is in English. Reload it to try again.") });
    await expect(notice).toBeInViewport();
    await expect(notice).toHaveAttribute("lang", code);
    await expect(notice).toHaveAttribute("dir", dir);
    await expect(new EpitomePage(page).button("Compact now")).toBeVisible();
    expect(await new EpitomePage(page).faults()).toEqual([]);
  });
}

test("who has chosen a language may still follow a link to the page in another one", async ({ page }) => {
  await open(page, "/");
  await page.evaluate(() => localStorage.setItem("epitome-language", "zh"));
  await page.goto("/he.html");
  await isIn(page, "he", "rtl");
  expect(new URL(page.url()).pathname).toBe("/he.html");
});

test("each document names those in the other languages, by their whole addresses", async ({ page, baseURL }) => {
  for (const address of ["/", "/he.html", "/zh.html"]) {
    await open(page, address);
    const links = page.locator('link[rel="alternate"]');
    const found = await links.evaluateAll((all) => all.map((link) => [link.getAttribute("hreflang"), link.getAttribute("href")]));
    const whole = (path: string): string => new URL(path, baseURL).href;
    expect(found, address).toEqual([["en", whole("/")], ["he", whole("/he.html")], ["zh", whole("/zh.html")]]);
  }
});

for (const [address, locale] of [["/", "en"], ["/he.html", "he"], ["/zh.html", "zh"]] as const) {
  test(`numbers are written as the browser writes them in the language of ${address}`, async ({ page }) => {
    await page.addInitScript(`
      Intl.NumberFormat = class extends Intl.NumberFormat {
        format = (number) => this.resolvedOptions().locale + ":" + super.format(number);
      };
    `);
    await open(page, address);
    await expect(page.getByRole("meter")).toHaveAttribute("aria-valuetext", new RegExp(`${locale}:[0-9]`));
  });
}

for (const { address, forward } of [
  { address: "/", forward: 1 },
  { address: "/he.html", forward: -1 },
]) {
  test(`marks of the bar move where the pointer goes and keys point, ${address}`, async ({ page }) => {
    await open(page, address);
    const bar = await boxOf(page.locator("#meter-bar"));
    const mark = page.locator('[data-mark="threshold"]');
    const centre = async () => {
      const { x, width } = await boxOf(mark);
      return x + width / 2;
    };
    const value = async () => Number(await mark.getAttribute("aria-valuenow"));
    // What fills the window begins where lines begin.
    const first = await boxOf(page.locator(".meter-track .segment").first());
    expect(forward > 0 ? first.x - bar.x : bar.x + bar.width - first.x - first.width).toBeLessThan(3);

    const target = bar.x + bar.width * 0.6;
    await page.mouse.move(await centre(), bar.y + bar.height / 3);
    await page.mouse.down();
    await page.mouse.move(target, bar.y + bar.height / 3, { steps: 5 });
    await page.mouse.up();
    await expect.poll(value).toBe(forward > 0 ? 4800 : 3200);
    expect(Math.abs((await centre()) - target)).toBeLessThan(bar.width / 100);

    const [at, tokens] = [await centre(), await value()];
    await mark.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(value).toBe(tokens + forward * 80);
    expect(await centre()).toBeGreaterThan(at);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(value).toBe(tokens);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(value).toBe(tokens - forward * 80);
    expect(await centre()).toBeLessThan(at);
    await page.keyboard.press("ArrowUp");
    await expect.poll(value).toBe(tokens - forward * 80 + 80);

    // A label ends within the bar.
    const label = await boxOf(mark.locator(".mark-label"));
    expect(label.x).toBeGreaterThanOrEqual(bar.x - 1);
    expect(label.x + label.width).toBeLessThanOrEqual(bar.x + bar.width + 1);
  });
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error("it is not visible");
  return box;
}
