// The agents of a team: what each one sees, and compactions of its own.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

/** A note from noor to tomas. */
const NOTE = "Measure it in the rack tonight";

test("f1: five agents see what is for them, and a private note is in no other view", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  const lanes = page.getByRole("region", { name: "Who sees what" });
  await expect(lanes.getByRole("listitem").filter({ hasText: "Read" })).toHaveCount(5);
  await expect(lanes.getByRole("img", { name: /^mara: 57 messages for everyone, 6 only for some, 8 hidden from it$/ })).toBeVisible();
  await expect(lanes.getByRole("img", { name: /^iris: 57 messages for everyone, 2 only for some, 12 hidden from it$/ })).toBeVisible();

  const read = async (name: string) => {
    await epitome.button(`Read what ${name} gets`).click();
    const dialog = page.getByRole("dialog", { name: `What ${name} gets` });
    const text = await dialog.getByRole("region").innerText();
    expect(await epitome.faults()).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(epitome.button(`Read what ${name} gets`)).toBeFocused();
    return text;
  };
  expect(await read("noor")).toContain(NOTE);
  expect(await read("tomas")).toContain(NOTE);
  for (const name of ["mara", "iris", "kai"]) expect(await read(name)).not.toContain(NOTE);
  expect(await epitome.exported()).not.toContain(NOTE);
});

test("f1: a compaction of one agent changes no other's view, and is undone", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  const lanes = page.getByRole("region", { name: "Who sees what" });
  const said = () => lanes.getByRole("img").evaluateAll((pictures) => pictures.map((picture) => picture.getAttribute("aria-label") ?? ""));
  const before = await said();
  await epitome.button("Compact for iris").click();
  await expect(lanes.getByRole("img", { name: /^iris: .* in its summary/ })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Compacted for iris" })).toBeAttached();
  const others = (labels: string[]) => labels.filter((label) => !label.startsWith("iris"));
  expect(others(await said())).toEqual(others(before));
  await epitome.button("Read what iris gets").click();
  const view = page.getByRole("dialog").getByRole("region");
  await expect(view).toContainText("<conversation-summary");
  await expect(view).not.toContainText(NOTE);
  await page.keyboard.press("Escape");
  await epitome.button("Undo the compaction for iris").click();
  await expect.poll(said).toEqual(before);
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  expect(epitome.errors).toEqual([]);
});

test("f1: a kept conversation of agents has its private notes after a reload, for the same agents", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  await epitome.button("Compact for kai").click();
  await expect(page.getByText("· kept in this browser")).toBeVisible();
  await page.reload();
  await epitome.isLoaded("A design review");
  const lanes = page.getByRole("region", { name: "Who sees what" });
  await expect(lanes.getByRole("img", { name: /^kai: .* in its summary/ })).toBeVisible();
  await expect(lanes.getByRole("img", { name: /^iris: 57 messages for everyone, 2 only for some, 12 hidden from it$/ })).toBeVisible();
  expect(await epitome.exported()).not.toContain(NOTE);
});
