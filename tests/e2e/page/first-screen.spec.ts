// The page begins with a sample that is planned already, and another conversation replaces it.

import { expect, type Page, test } from "@playwright/test";
import { EpitomePage, toolLoop } from "./page.js";

for (const [width, height] of [
  [1440, 900],
  [1280, 800],
  [768, 1024],
  [360, 740],
] as const) {
  test(`a sample, its window and the button are in view at once, ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await expect(epitome.meter).toBeInViewport({ ratio: 1 });
    await expect(epitome.button("Compact now")).toBeInViewport({ ratio: 1 });
    await expect(page.getByText("npm install epitome")).toBeInViewport();
    await expect(page.getByRole("link", { name: "Chat app" })).toBeInViewport();
    await expect(page.getByRole("link", { name: "Docs" })).toBeInViewport();
    await epitome.compact();
    await epitome.isCompacted();
    await expect(epitome.undo).toBeInViewport({ ratio: 1 });
    await expect(epitome.result).toContainText("6,917");
  });
}

test("the picture says what happens to the messages, and follows the compaction", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const picture = page.getByRole("img", { name: /^113 messages/ });
  await expect(picture).toHaveAccessibleName(/^113 messages, \d+ stay word for word, \d+ become the summary$/);
  await epitome.compact();
  await epitome.isCompacted();
  await expect(picture).toHaveAccessibleName(/^113 messages, \d+ stay word for word, \d+ only in the history$/);
});

test("a text that is pasted anywhere is opened, in a window of its own", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const epitome = new EpitomePage(page);
  await epitome.open();
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 8,000 tokens/);
  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(toolLoop(3)));
  await page.keyboard.press("Control+V");
  await epitome.isLoaded("Pasted text");
  await expect(epitome.rows).toHaveCount(9);
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 128,000 tokens/);
  await expect.poll(() => epitome.focused()).toBe("loaded-heading");
  expect(epitome.errors).toEqual([]);
});

test("a plain transcript is a conversation", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.paste("User: Where is the key?\nIs it here?\n\nAssistant: Under the mat.\nUser: Thanks!");
  await epitome.isLoaded("Pasted text");
  expect(await epitome.messages()).toEqual([
    { role: "user", content: "Where is the key?\nIs it here?" },
    { role: "assistant", content: "Under the mat." },
    { role: "user", content: "Thanks!" },
  ]);
});

test("a window that the user chose stays for the next conversation", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.getByLabel("Window of the model").fill("64000");
  await epitome.load(toolLoop(3));
  await expect(epitome.meter).toHaveAttribute("aria-valuetext", /of 64,000 tokens/);
});

test("something has the focus after each change", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A coding session");
  await expect(epitome.button("A coding session")).toBeFocused();
  await page.getByLabel("Ask before summarizing").check();
  await epitome.compact();
  await expect(epitome.button("Continue")).toBeFocused();
  await page.route("**/v1/chat/completions", () => {});
  await page.keyboard.press("Enter");
  await expect(epitome.button("Cancel")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(epitome.result).toContainText("Cancelled.");
  await expect.poll(() => epitome.focused()).toBe("result-heading");
  await page.unroute("**/v1/chat/completions");
  await page.getByLabel("Ask before summarizing").uncheck();
  await epitome.compact();
  await epitome.isCompacted();
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  await epitome.undo.click();
  await expect(epitome.button("Compact now")).toBeFocused();
});

test("the marks are moved by keys and by the pointer, and the plan follows", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const begins = page.getByRole("slider", { name: "Where a compaction begins" });
  await expect(begins).toHaveAttribute("aria-valuetext", "6,000 tokens");
  await begins.press("PageUp");
  await expect(begins).toHaveAttribute("aria-valuetext", "6,400 tokens");
  await expect(begins).toBeFocused();
  await expect(page.getByLabel("Threshold", { exact: true })).toHaveValue("80");
  const picture = page.getByRole("img", { name: /^113 messages/ });
  const planned = await picture.getAttribute("aria-label");
  const aims = page.getByRole("slider", { name: "Where a compaction aims" });
  const bar = await epitome.meter.boundingBox();
  const mark = await aims.boundingBox();
  if (bar === null || mark === null) throw new Error("the bar is not shown");
  await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
  await page.mouse.down();
  await page.mouse.move(bar.x + bar.width * 0.65, bar.y + 10, { steps: 5 });
  await expect(aims).toHaveAttribute("aria-valuetext", "5,200 tokens");
  await page.mouse.up();
  await expect(picture).not.toHaveAttribute("aria-label", planned ?? "");
  await page.mouse.move(bar.x + bar.width * 0.2, bar.y + 10);
  await expect(aims).toHaveAttribute("aria-valuetext", "5,200 tokens");
});

test("the picture is copied as PNG", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.button("Copy as a picture").click();
  await expect(page.getByText("The picture is copied.")).toBeVisible();
  const size = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const image = await createImageBitmap((await item?.getType("image/png")) ?? new Blob());
    return [image.width, image.height];
  });
  expect(size).toEqual([1200, 630]);
  expect(epitome.errors).toEqual([]);
});

for (const width of [320, 360, 390, 768]) {
  test(`nothing in the header covers anything else, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 740 });
    const epitome = new EpitomePage(page);
    for (const address of ["/", "/he.html", "/zh.html"]) {
      await page.goto(address);
      await epitome.isSettled();
      const covering = await page.evaluate(() => {
        const all = [...document.querySelectorAll("header :is(h1, p, a, button, summary, label)")].filter((element) => element.checkVisibility());
        const boxes = all.map((element) => ({ element, name: element.textContent, box: element.getBoundingClientRect() }));
        const pairs = boxes.flatMap((one, index) => boxes.slice(index + 1).map((other) => [one, other] as const));
        return pairs
          .filter(([one, other]) => !one.element.contains(other.element) && !other.element.contains(one.element))
          .filter(([{ box: one }, { box: other }]) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
          .map((pair) => pair.map(({ name }) => name).join(" and "));
      });
      expect(covering, address).toEqual([]);
    }
  });
}

/** How much has moved on a page since it was opened, as browsers sum it up; without what moves right after input. */
async function moved(page: Page): Promise<number> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return page.evaluate(() => (globalThis as unknown as { seen: { moved: number } }).seen.moved);
}

for (const width of [1280, 360]) {
  test(`nothing moves while the page loads, and little when another conversation is opened, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 720 });
    await page.addInitScript(() => {
      const seen = { moved: 0 };
      Object.assign(globalThis, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
          if (!entry.hadRecentInput) seen.moved += entry.value;
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    const epitome = new EpitomePage(page);
    await epitome.open();
    await expect(page.getByRole("img", { name: /^113 messages/ })).toBeVisible();
    expect(await moved(page)).toBeLessThan(0.01);
    // Not by the pointer: the browser does not count what moves within half a second of a real click.
    await epitome.button("A coding session").dispatchEvent("click");
    await epitome.isLoaded("A coding session");
    await expect(page.getByRole("img", { name: /^88 messages/ })).toBeVisible();
    expect(await moved(page)).toBeLessThan(0.05);
  });
}

/** The code of what comes behind the first screen. */
const REST = "**/split_panels*.wasm";

test("the bar and the button can be used before the rest of the page is there", async ({ page }) => {
  const epitome = new EpitomePage(page);
  let go = (): void => {};
  const allowed = new Promise<void>((resolve) => (go = resolve));
  await page.route(REST, async (route) => {
    await allowed;
    await route.continue();
  });
  await page.goto("/");
  const aims = page.getByRole("slider", { name: "Where a compaction aims" });
  await aims.focus();
  const before = await epitome.meter.getAttribute("aria-valuetext");
  await expect(page.locator(".instrument:visible")).toHaveCount(1);
  const after = page.locator(".instrument:visible .meter-after");
  const planned = await after.textContent();
  await page.keyboard.press("PageDown");
  await expect(after).not.toHaveText(planned ?? "");
  expect(await epitome.meter.getAttribute("aria-valuetext")).toBe(before);

  await epitome.compact();
  await expect(epitome.button("Compact now")).toHaveAttribute("aria-busy", "true");
  await expect(page.locator("#first-paint")).toHaveCount(1);
  go();
  await epitome.isCompacted();
  await expect(page.locator("#first-paint")).toHaveCount(0);
  expect(await epitome.faults()).toEqual([]);
  expect(epitome.errors).toEqual([]);
});

test("if the rest of the page cannot be fetched, the page says so, and what to do", async ({ page }) => {
  await page.route(REST, (route) => route.abort());
  await page.goto("/");
  await expect(page.getByRole("alert")).toHaveText("The rest of this page could not be fetched. Reload it to try again.");
  await expect(page.getByRole("meter")).toBeVisible();
  await page.unroute(REST);
  await page.reload();
  await new EpitomePage(page).isSettled();
});

test("a server that does not say what a wasm file is serves the page as well", async ({ page }) => {
  const epitome = new EpitomePage(page);
  const types = new Set<string | undefined>();
  page.on("response", (response) => {
    if (response.url().endsWith(".wasm")) types.add(response.headers()["content-type"]);
  });
  await page.route("**/*.wasm", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ status: response.status(), body: await response.body(), contentType: "application/octet-stream" });
  });
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  expect([...types]).toEqual(["application/octet-stream"]);
  expect(epitome.errors).toEqual([]);
});

test("the documentation of the package comes with the page, and runs under its policy", async ({ page }) => {
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto("/");
  await page.getByRole("link", { name: "Docs" }).click();
  await expect(page).toHaveURL(/\/docs\/index\.html$/);
  await expect(page.getByRole("heading", { name: "epitome", exact: true }).first()).toBeVisible();
  await page.goto("/docs/modules.html");
  await page.getByRole("link", { name: "epitome/worker" }).first().click();
  await expect(page.getByRole("heading", { name: /epitome\/worker/ })).toBeVisible();
  expect(problems).toEqual([]);
});
