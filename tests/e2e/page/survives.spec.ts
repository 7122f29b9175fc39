// What became of the facts of the summarized messages.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("an order number that the summarizer made up is the first thing to see", async ({ page }) => {
  const content = "The customer's order BW-77777 arrived damaged.";
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  await page.route("**/v1/chat/completions", (route) => route.fulfill({ json: { choices } }));
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  await expect(epitome.alert).toContainText("BW-77777 is in the summary and in no message.");
  await expect(epitome.alert).toBeInViewport();
  await expect(page.getByRole("region", { name: "What survives" })).toContainText("The summarizer may have made this up");
  expect(await epitome.faults()).toEqual([]);
});

test("the source of a fact is lit in the list, and opened from it", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 1600 });
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  const survives = page.getByRole("region", { name: "What survives" });
  await expect(survives).toContainText("is made up: each one is in a message");
  await survives.getByText(/facts? in the summary$/).click();
  const fact = survives.getByRole("list", { name: "Facts in the summary" }).getByRole("listitem").first();
  const source = fact.getByRole("button").first();
  await source.focus();
  const number = ((await source.textContent()) ?? "").replace("#", "");
  await expect(epitome.rows.filter({ hasText: new RegExp(`^${number}(user|assistant|tool)`) })).toHaveClass(/lit/);
  // And back: the facts that a message is the source of are lit from its row.
  await expect(fact).not.toHaveClass(/lit/);
  await epitome.rows.filter({ hasText: new RegExp(`^${number}(user|assistant|tool)`) }).hover();
  await expect(fact).toHaveClass(/lit/);
  await expect(survives.getByRole("group").first()).toHaveClass(/lit/);
  await source.click();
  await expect(epitome.details).toContainText(`Message ${number}`);
  expect(await epitome.faults()).toEqual([]);
});

test("a number in a line of the summary opens its message, and any other line lights what it is from", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 1600 });
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.compact();
  await epitome.isCompacted();
  const summary = page.getByRole("region", { name: "The summary" });
  const link = summary.getByRole("button").first();
  const number = (await link.textContent()) ?? "";
  await expect(link).toHaveAccessibleName(new RegExp(`^${number}: message #`));
  const message = ((await link.getAttribute("aria-label")) ?? "").replace(/^.*#/, "");
  const row = epitome.rows.filter({ hasText: new RegExp(`^${message}(user|assistant|tool)`) });
  await link.focus();
  await expect(row).toHaveClass(/lit/);
  await summary.focus();
  await expect(epitome.rows.and(page.locator(".lit"))).toHaveCount(0);
  const said = summary.locator(".line").filter({ hasText: /^assistant: / }).first();
  await said.hover();
  await expect(epitome.rows.and(page.locator(".lit"))).toHaveCount(1);
  await link.click();
  await expect(epitome.details).toContainText(`Message ${message}`);
  expect(await epitome.faults()).toEqual([]);
});

test("a fact that hundreds of messages name links to a few of them, once its list is opened", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  const turns = Array.from({ length: 300 }, (_, index) => [
    { role: "user", content: `Where is order BW-10482 now, for the ${index + 1}th time?` },
    { role: "assistant", content: `Order BW-10482 has not moved since you asked before, which was question ${index}.` },
  ]);
  await epitome.paste(JSON.stringify(turns.flat()));
  await epitome.summarizeInPage();
  await epitome.tighten();
  await epitome.compact();
  await epitome.isCompacted();
  const survives = page.getByRole("region", { name: "What survives" });
  await expect(survives.locator("li")).toHaveCount(0);
  await survives.getByText(/facts? in the summary$/).click();
  const fact = survives.getByRole("listitem").filter({ hasText: "BW-10482" }).first();
  await expect(fact.getByRole("button")).toHaveCount(6);
  await expect(fact).toContainText(/and \d{3} more/);
  expect(await epitome.faults()).toEqual([]);
});
