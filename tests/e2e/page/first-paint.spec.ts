// What the document of each language shows before the app has started. It is recorded from the app:
// `npx playwright test --config tests first-paint --update-snapshots` does so, and the next build of the page has it.

import { expect, type Page, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

/** The documents of the page, and what is recorded for each. */
const DOCUMENTS = [
  { address: "/", recorded: "recorded.html" },
  { address: "/he.html", recorded: "recorded.he.html" },
  { address: "/zh.html", recorded: "recorded.zh.html" },
] as const;

/** The inline styles so far, each with the name of its class. */
type Rules = [style: string, name: string][];

/**
 * What the app shows, as HTML without what only the app itself can do, and its inline styles as a style sheet, since the
 * page's security policy allows none inside HTML.
 */
function record(page: Page, known: Rules): Promise<{ html: string; rules: Rules }> {
  return page.evaluate((known) => {
    const rules = new Map(known);
    const copy = document.createElement("div");
    const parts = [...document.querySelectorAll("body > :is(.header, main, .footer)")];
    for (const part of parts) copy.append(part.cloneNode(true));
    const originals = parts.flatMap((part) => [part, ...part.querySelectorAll("*")]);
    const copies = [...copy.querySelectorAll("*")];
    for (const [place, element] of copies.entries()) {
      const original = originals[place] as HTMLElement;
      if (original instanceof HTMLInputElement) {
        element.toggleAttribute("checked", original.checked);
        if (original.type !== "file" && original.value !== "on") element.setAttribute("value", original.value);
      }
      if (original instanceof HTMLOptionElement) element.toggleAttribute("selected", original.selected);
      const style = element.getAttribute("style");
      if (style !== null) {
        const name = rules.get(style) ?? `fp-${rules.size + 1}`;
        rules.set(style, name);
        element.classList.add(name);
      }
      // The app's own elements have these names.
      const id = element.id;
      if (id !== "" && copy.querySelector(`[fill="url(#${id})"]`) === null) element.removeAttribute("id");
      for (const name of element.getAttributeNames()) {
        if (/^(aria-(label|labelledby|describedby|controls|live)|for|name|style|tabindex|title)$/.test(name)) element.removeAttribute(name);
      }
    }
    // The app is about to take its place.
    copy.querySelector("main")?.setAttribute("aria-busy", "true");
    // Comments say where the framework may put something.
    const html = copy.innerHTML.replaceAll(/<!--.*?-->/g, "");
    return { html: `${html}\n`, rules: [...rules] };
  }, known);
}

test("it is what the app shows of the first sample, in each language", async ({ page }) => {
  const epitome = new EpitomePage(page);
  let rules: Rules = [];
  for (const { address, recorded } of DOCUMENTS) {
    await page.goto(address);
    await epitome.isSettled();
    const shown = await record(page, rules);
    rules = shown.rules;
    expect(shown.html).toMatchSnapshot(["first-paint", recorded]);
  }
  const css = rules.map(([style, name]) => `#first-paint .${name} { ${style} }\n`);
  const about = "/* Recorded styles of the elements in `recorded.html`, and in those of the other languages. */\n";
  expect([about, ...css].join("")).toMatchSnapshot(["first-paint", "recorded.css"]);
});

/** Where an element is drawn, in pixels, and in which colours. */
interface Drawn {
  readonly looks: string;
  readonly box: readonly number[];
}

function drawn(page: Page, parts: string): Promise<Drawn[]> {
  return page.evaluate((selector) => {
    const elements = [...document.querySelectorAll(selector)].flatMap((part) => [part, ...part.querySelectorAll("*")]);
    return elements.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const { color, backgroundColor } = getComputedStyle(element);
      return { looks: [element.tagName, color, backgroundColor].join(" "), box: [x, y, width, height] };
    });
  }, parts);
}

/** The same with the boxes of `before` where both are the same to a tenth of a pixel. Chromium measures a text that is one node and
 * the same text in several nodes with a thirtieth of a pixel between them, which no screen shows. */
function like(before: readonly Drawn[], after: readonly Drawn[]): Drawn[] {
  return after.map(({ looks, box }, place) => {
    const then = before[place]?.box ?? [];
    return { looks, box: box.map((side, index) => (Math.abs(side - (then[index] ?? Infinity)) < 0.1 ? (then[index] ?? side) : side)) };
  });
}

for (const { address } of DOCUMENTS) {
  for (const [width, height] of [
    [1440, 900],
    [768, 1024],
    [360, 740],
  ] as const) {
    for (const colorScheme of address === "/" ? (["light", "dark"] as const) : (["light"] as const)) {
      test(`nothing changes when the app takes its place, ${address}, ${width} × ${height}, ${colorScheme}`, async ({ page }) => {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        let release = () => {};
        const released = new Promise<void>((resolve) => (release = resolve));
        await page.route("**/*.wasm", async (route) => {
          await released;
          await route.continue();
        });
        await page.goto(address, { waitUntil: "domcontentloaded" });
        await expect(page.getByText("npm install epitome")).toBeVisible();
        const before = await drawn(page, "#first-paint > *");
        expect(before.length).toBeGreaterThan(300);
        release();
        await new EpitomePage(page).isSettled();
        await expect(page.locator("#first-paint")).toHaveCount(0);
        expect(like(before, await drawn(page, "body > :is(.header, main, .footer)"))).toEqual(before);
      });
    }
  }
}

test("a page that cannot be started says so", async ({ page }) => {
  await page.route("**/*.wasm", (route) => route.fulfill({ status: 500, body: "" }));
  await page.goto("/");
  await expect(page.getByRole("alert")).toContainText("The page could not be started: ");
});

test("a later visit begins with the conversation of the last one, and not with the sample", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.paste("User: Where is the key?\n\nAssistant: Under the mat.");
  await epitome.isLoaded("Pasted text");
  await expect(page.getByText("kept in this browser")).toBeVisible();
  await page.route("**/*.wasm", () => {});
  await page.reload({ waitUntil: "domcontentloaded" });
  await expect(page.getByText("npm install epitome")).toBeVisible();
  await expect(page.getByText("Customer support").first()).toBeHidden();
});
