// Each sample can be compacted with a server's summary, and undone; one is very long, and one has pictures.

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
    await expect(page.getByText("in the summary and in no message")).toHaveCount(0);
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

test("a session three times as long as the window is fetched when it is chosen, and compacted below half of it", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  const epitome = new EpitomePage(page);
  await epitome.open();
  expect(fetched).toContain("/samples/support.json");
  expect(fetched).not.toContain("/samples/long-session.json");
  await epitome.openSample("A long coding session");
  const tokens = async () => Number(/^~([\d,]+)/.exec((await epitome.meter.getAttribute("aria-valuetext")) ?? "")?.[1]?.replaceAll(",", ""));
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 128,000 tokens \(3\d\d %\)/);
  expect(await tokens()).toBeGreaterThan(380_000);
  const before = await epitome.exported();
  await epitome.compact();
  await epitome.isCompacted();
  await expect(epitome.meter).not.toHaveAttribute("aria-valuetext", /time to compact/);
  expect(await tokens()).toBeLessThan(60_000);
  await expect(page.getByText("in the summary and in no message")).toHaveCount(0);
  expect(breaches(await epitome.messages())).toEqual([]);
  await epitome.undo.click();
  await expect(epitome.undo).toHaveCount(0);
  expect(await epitome.exported()).toBe(before);
  expect(epitome.errors).toEqual([]);
});

test("a picture is shown with its size, the tokens of that, and what its data would count as text", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A flat in pictures");
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 18,000 tokens .*time to compact/);
  await expect(epitome.rows.first()).toContainText("[image 1,092 × 1,092]");
  await epitome.rows.first().click();
  const picture = epitome.details.getByRole("img", { name: "[image 1,092 × 1,092]" });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])).toEqual([1092, 1092]);
  await expect(epitome.details.getByRole("heading", { name: "Image · image/png · 1,092 × 1,092" })).toBeVisible();
  await expect(epitome.details).toContainText("1,590 tokens by its width and height. Counted as text, four characters to a token, the 16 kB of its data would be 4,001.");
  expect(await epitome.faults()).toEqual([]);
  await page.keyboard.press("Escape");
  await epitome.compact();
  await epitome.isCompacted();
  await epitome.undo.click();
  await expect(epitome.undo).toHaveCount(0);
  expect(epitome.errors).toEqual([]);
});

test("a row with a picture begins where its own words do, whatever the page's language", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await page.goto("/he.html");
  await epitome.isSettled();
  await page.keyboard.press("6");
  const words = page.getByRole("button", { name: /We have bought a flat/ }).getByText("We have bought a flat");
  await expect(words).toHaveCSS("direction", "ltr");
  await expect(words).toContainText("1,092 × 1,092]");
});

test("a picture at an address is named and not fetched", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const epitome = new EpitomePage(page);
  await epitome.open();
  const address = "https://pictures.example/a.png";
  await epitome.load([{ role: "user", content: [{ type: "text", text: "Look" }, { type: "image_url", image_url: { url: address } }] }]);
  await epitome.rows.first().click();
  await expect(epitome.details).toContainText(`[image: ${address}]`);
  await expect(epitome.details).toContainText("765 tokens: its size is not known, and counted as 1,024 × 1,024.");
  await expect(epitome.details.getByRole("img")).toHaveCount(0);
  expect(asked).not.toContain(address);
});

test("one press on the first sample shows that a made-up order number is caught, and an undo takes it back", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const before = await epitome.exported();
  await epitome.button("Example: the summary makes up an order number").click();
  await epitome.isCompacted();
  await expect(epitome.alert).toContainText("BW-77312 is in the summary and in no message.");
  await expect(epitome.alert).toBeInViewport();
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await expect(page.getByRole("region", { name: "What survives" })).toContainText("BW-77312: in the summary, but not in any message.");
  await epitome.undo.click();
  await epitome.isUndone();
  expect(await epitome.exported()).toBe(before);
  // The next summary is as it is written.
  await epitome.compact();
  await epitome.isCompacted();
  await expect(epitome.alert).toHaveCount(0);
  await epitome.openSample("A coding session");
  await expect(page.getByRole("button", { name: /^Example: / })).toHaveCount(0);
  expect(epitome.errors).toEqual([]);
});

test("the sample in four languages says how far a count by characters is off", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  const said = page.getByText(/Counted by characters, four to a token, it would be [\d,]+ \(−[3-9]\d %\)\./);
  await expect(said).toBeVisible();
  // Its images have no characters.
  await epitome.openSample("A flat in pictures");
  await expect(page.getByText(/^The floor is/)).toBeVisible();
  await expect(said).toBeHidden();
  expect(epitome.errors).toEqual([]);
});
