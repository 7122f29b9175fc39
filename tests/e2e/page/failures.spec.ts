// A failure of the summarizer is explained, changes nothing, and can be tried again.

import { expect, test } from "@playwright/test";
import { EpitomePage, scripted } from "./page.js";

const cases: [scenario: string, words: RegExp][] = [
  ["401", /key/i],
  ["404-model", /model/i],
  ["500", /server/i],
  ["no-cors", /reach|origin|CORS/i],
  ["stall-first-byte", /sent nothing/],
  ["stall-mid", /nothing came/],
  ["error-in-stream", /./],
  ["length", /limit|cut|token/i],
  ["empty", /text|nothing/i],
  ["html", /web page/],
  ["cut", /ended|connection/i],
  ["not-json", /completion|JSON/i],
  ["quota", /quota|plan|limit/i],
];

for (const [scenario, words] of cases) {
  test(`${scenario} is explained, and another try works`, async ({ page }) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.openSample("Planning a trip");
    const before = await epitome.exported();
    await epitome.summarizeAt(scripted(scenario));
    if (scenario.startsWith("stall")) await epitome.setPatience(1);
    await epitome.compact();
    await expect(epitome.alert).toContainText("The compaction failed.", { timeout: 30_000 });
    await expect(epitome.alert).toContainText(words);
    await expect(epitome.alert).toContainText("The conversation is unchanged");
    await expect(epitome.undo).toHaveCount(0);
    expect(await epitome.exported()).toBe(before);

    await epitome.summarizeAt(scripted("ok"));
    await epitome.compact();
    await epitome.isCompacted();
    await expect(epitome.alert).toHaveCount(0);
    expect(epitome.errors).toEqual([]);
  });
}

test("a busy server is tried again after the time that it names", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await epitome.summarizeAt(scripted(`429-then-ok/page-busy-${Date.now()}`));
  await epitome.compact();
  await expect(page.getByText(/Attempt 1 failed: .*Trying again in/)).toBeVisible();
  await epitome.isCompacted();
  await expect(epitome.result).toContainText("2 requests");
});

test("a key is used, stored only if wanted, and never exported", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await epitome.summarizeAt(scripted("ok/page-key"));
  const key = page.getByLabel("Key (optional)");
  await key.fill("sk-secret-1");
  const asked = page.waitForRequest((request) => request.method() === "POST");
  await epitome.compact();
  expect((await asked).headers()["authorization"]).toBe("Bearer sk-secret-1");
  await epitome.isCompacted();
  expect(await epitome.exported()).not.toContain("sk-secret-1");
  const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  expect(await kept()).not.toContain("sk-secret-1");
  await page.getByLabel("Keep the key until this tab is closed").check();
  expect(await kept()).toContain("sk-secret-1");
  await page.getByLabel("Keep the key until this tab is closed").uncheck();
  expect(await kept()).not.toContain("sk-secret-1");
});
