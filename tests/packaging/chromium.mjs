// Chromium, and what the script of a page says in it.

import { existsSync, readFileSync } from "node:fs";

export const executablePath = process.env.EPITOME_BROWSER || "/usr/bin/chromium";
export const noBrowser = existsSync(executablePath) ? false : "no browser; set EPITOME_BROWSER";
export const ARGUMENTS = JSON.parse(readFileSync(new URL("../chromium.json", import.meta.url), "utf8"));

/** What the script of a page says; what the page throws instead ends the test at once. */
export async function outcomeAt(browser, address) {
  const page = await browser.newPage();
  const failed = new Promise((_, reject) => page.once("pageerror", reject));
  await page.goto(address);
  await Promise.race([page.waitForFunction(() => globalThis.outcome !== undefined, undefined, { timeout: 120_000 }), failed]);
  return page.evaluate(() => globalThis.outcome);
}
