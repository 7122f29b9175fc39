// The agents of a team: what each one sees, and compactions of its own.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test("f1: five agents see what is for them, and a private note is in no other view", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  const lanes = page.getByRole("region", { name: "Who sees what" });
  await expect(lanes.getByRole("listitem").filter({ hasText: "Read" })).toHaveCount(5);
  await expect(lanes.getByRole("img", { name: /^Mira: 33 messages for everyone, 6 only for some, 2 hidden from it$/ })).toBeVisible();
  await expect(lanes.getByRole("img", { name: /^Tomas: 33 messages for everyone, 1 only for some, 7 hidden from it$/ })).toBeVisible();

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
  expect(await read("Ada")).toContain("SEC-2291");
  expect(await read("Mira")).toContain("SEC-2291");
  for (const name of ["Jonas", "Priya", "Tomas"]) expect(await read(name)).not.toContain("SEC-2291");
  expect(await epitome.exported()).not.toContain("SEC-2291");
});

test("f1: a compaction of one agent changes no other's view, and is undone", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  const lanes = page.getByRole("region", { name: "Who sees what" });
  const said = () => lanes.getByRole("img").evaluateAll((pictures) => pictures.map((picture) => picture.getAttribute("aria-label") ?? ""));
  const before = await said();
  await epitome.button("Compact for Priya").click();
  await expect(lanes.getByRole("img", { name: /^Priya: .* in its summary/ })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Compacted for Priya" })).toBeAttached();
  const others = (labels: string[]) => labels.filter((label) => !label.startsWith("Priya"));
  expect(others(await said())).toEqual(others(before));
  await epitome.button("Read what Priya gets").click();
  const view = page.getByRole("dialog").getByRole("region");
  await expect(view).toContainText("<conversation-summary");
  await expect(view).not.toContainText("SEC-2291");
  await page.keyboard.press("Escape");
  await epitome.button("Undo the compaction for Priya").click();
  await expect.poll(said).toEqual(before);
  await expect.poll(() => epitome.focused()).not.toBe("BODY");
  expect(epitome.errors).toEqual([]);
});

test("f1: a kept conversation of agents has its private notes after a reload, for the same agents", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("A design review");
  await epitome.button("Compact for Ada").click();
  await expect(page.getByText("· kept in this browser")).toBeVisible();
  await page.reload();
  await epitome.isLoaded("A design review");
  const lanes = page.getByRole("region", { name: "Who sees what" });
  await expect(lanes.getByRole("img", { name: /^Ada: .* in its summary/ })).toBeVisible();
  await expect(lanes.getByRole("img", { name: /^Tomas: 33 messages for everyone, 1 only for some, 7 hidden from it$/ })).toBeVisible();
  expect(await epitome.exported()).not.toContain("SEC-2291");
});
