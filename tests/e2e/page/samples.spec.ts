// Each sample can be compacted with a server's summary, and undone.

import { expect, test } from "@playwright/test";
import { breaches, EpitomePage, SAMPLES } from "./page.js";

for (const sample of SAMPLES) {
  test(`${sample}: compacted, valid by the API's rules, and undone`, async ({ page }) => {
    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.openSample(sample);
    await expect(epitome.meter).toHaveAttribute("aria-valuetext", /time to compact/);
    const before = await epitome.exported();

    const asked = page.waitForRequest((request) => request.url().endsWith("/v1/chat/completions"));
    await epitome.compact();
    await asked;
    await epitome.isCompacted();
    await expect(epitome.meter).not.toHaveAttribute("aria-valuetext", /time to compact/);
    const after = await epitome.messages();
    const originals = JSON.parse(before) as unknown[];
    expect(after.length).toBeLessThan(originals.length);
    expect(breaches(after)).toEqual([]);
    const inserted = after.filter((message) => !originals.some((other) => JSON.stringify(other) === JSON.stringify(message)));
    expect(inserted.map(({ role }) => role), "only the summary is new").toEqual(["user"]);
    expect(await epitome.exported("Download the whole history")).toBe(before);

    await epitome.undo.click();
    await expect(epitome.undo).toHaveCount(0);
    expect(await epitome.exported()).toBe(before);
    expect(epitome.errors).toEqual([]);
  });
}

test("the page summarizes by itself if no server does", async ({ page }) => {
  await page.route("**/v1/**", (route) => route.fulfill({ status: 404, body: "not here" }));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await expect(page.getByRole("radio", { name: "In this page" })).toBeChecked();
  await expect(page.getByRole("radio", { name: "This server" })).toBeDisabled();
  await epitome.compact();
  await epitome.isCompacted();
  expect(breaches(await epitome.messages())).toEqual([]);
});
