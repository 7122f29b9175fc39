// Conversations are kept in the browser, listed, searched, shared by its tabs, and taken out of it.

import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { Disk, incompressible } from "../disk.js";
import { HeldStore } from "../held.js";
import { ChatPage, scripted } from "./chat-page.js";

test("a conversation is there again after a reload, and the list has it beside a new one, by what was said first", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go this year?");
  await chat.fill();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const articles = chat.log.getByRole("article");
  const texts = await articles.allTextContents();
  await page.reload();
  await expect(articles).toHaveText(texts);
  await chat.button("Conversations").click();
  await page.getByRole("link", { name: "New conversation" }).click();
  await chat.empty();
  await chat.button("Conversations").click();
  await page.getByRole("link", { name: "Where do the tulips go" }).click();
  await expect(articles).toHaveText(texts);
});

test("what the model does not get any more is found, and one message of it is given to the model again", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.fill();
  await chat.button("Conversations").click();
  await page.getByRole("searchbox").fill("demo endpoint");
  await chat.button("Find").click();
  const found = page.getByRole("dialog").getByText(/^assistant: .*endpoint/).first();
  await expect(found).toBeVisible();
  expect(await chat.faults()).toEqual([]);
  const before = Number(await chat.meter.getAttribute("aria-valuenow"));
  await page.getByRole("listitem").filter({ hasText: /^assistant: .*endpoint/ }).first().getByRole("button").click();
  const again = chat.log.getByRole("article").last();
  await expect(again).toContainText(/^YouEarlier, you said:\n[^]*demo endpoint/);
  await expect(again).not.toHaveClass(/past/);
  expect(Number(await chat.meter.getAttribute("aria-valuenow"))).toBeGreaterThan(before);
  await page.reload();
  await expect(again).toContainText("Earlier, you said:");
});

test("what a question brings back is shown where it is used, and the model gets it", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.change({ "Base URL": scripted("ok") });
  await chat.sendExample();
  // Short requests stay in the view.
  await chat.say(`${"The beds are watered in the morning. ".repeat(40)}My neighbour keeps marmalade in a blue cupboard.`);
  for (let turn = 0; turn < 12 && (await chat.notices.count()) === 0; turn += 1) {
    await chat.sendExample();
  }
  const asked = page.waitForRequest((request) => request.method() === "POST");
  await chat.say("And the marmalade?");
  const { messages } = (await asked).postDataJSON() as { messages: { content: string }[] };
  expect(messages.at(-1)?.content).toContain("blue cupboard");
  const line = chat.log.getByText("The model also gets what was said earlier about marmalade");
  await line.click();
  await expect(chat.log.getByRole("listitem")).toContainText("blue cupboard");
  expect(await chat.faults()).toEqual([]);
});

test("two tabs are in step: one writes, the other follows it, may take over, and goes on when it is closed", async ({ page, context }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("One.");
  const second = await context.newPage();
  const follower = new ChatPage(second);
  await second.goto(page.url());
  const notice = second.getByText("Another tab has this conversation open");
  await expect(notice).toBeVisible();
  await expect(follower.message).toBeHidden();
  expect(await follower.faults()).toEqual([]);
  await chat.say("Two.");
  const articles = (each: ChatPage) => each.log.getByRole("article");
  await expect(articles(follower)).toHaveCount(4);
  await follower.button("Write here").click();
  await expect(notice).toBeHidden();
  await expect(chat.message).toBeHidden();
  await follower.say("Three.");
  await expect(articles(chat)).toHaveCount(6);
  await second.close();
  await expect(chat.message).toBeVisible();
  await chat.say("Four.");
  await expect(articles(chat)).toHaveCount(8);
});

test("the list says what each conversation takes and what is used, and deleting one frees it", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("The first one.");
  await chat.button("Conversations").click();
  await page.getByRole("link", { name: "New conversation" }).click();
  await chat.empty();
  await chat.say("The second one.");
  await chat.button("Conversations").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("status")).toHaveText(/^[\d.]+ [kMG]?B of [\d.]+ [MGT]B are used\.$/);
  await expect(dialog.getByRole("listitem").filter({ hasText: "The second one." })).toContainText(/\d\d, [\d.]+ k?B/);
  await dialog.getByRole("button", { name: /^Delete The first one\., which frees [\d.]+ k?B$/ }).click();
  await expect(dialog.getByRole("link", { name: "The first one." })).toHaveCount(0);
  await expect(dialog.getByRole("status")).toContainText(/[\d.]+ k?B are free again/);
  await expect(dialog.getByRole("link", { name: "The second one." })).toHaveAttribute("aria-current", "page");
  expect(await chat.faults()).toEqual([]);
  await dialog.getByRole("button", { name: /^Delete The second one/ }).click();
  await expect(chat.log.getByRole("article")).toHaveCount(0);
});

test("a conversation is exported and imported, and the key is in no file and not in the browser's storage", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.change({ "API key": "sk-secret-4711" });
  await chat.say("Where do the tulips go this year?");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await chat.button("Conversations").click();
  const downloading = page.waitForEvent("download");
  await chat.button("Export this one").click();
  const path = await (await downloading).path();
  const archive = await readFile(path, "utf8");
  expect(archive).toContain("Where do the tulips go");
  expect(archive).not.toContain("sk-secret");
  const stored = await page.evaluate(async () => {
    const texts = [JSON.stringify({ ...sessionStorage }), JSON.stringify({ ...localStorage }), document.cookie];
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => resolve(opening.result);
      });
      for (const each of database.objectStoreNames) {
        const all = database.transaction(each).objectStore(each).getAll();
        texts.push(await new Promise((resolve) => (all.onsuccess = () => resolve(JSON.stringify(all.result)))));
      }
      database.close();
    }
    return texts.join("\n");
  });
  expect(stored).toContain("Where do the tulips go");
  expect(stored).not.toContain("sk-secret");
  const url = page.url();
  const choosing = page.waitForEvent("filechooser");
  await chat.button("Import").click();
  await (await choosing).setFiles(path);
  await expect(page).not.toHaveURL(url);
  await expect(chat.log.getByRole("article").first()).toContainText("Where do the tulips go");
});

test("a conversation is said to be saved only when its last message is", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("One.");
  const saved = page.getByText("Saved", { exact: true });
  await expect(saved).toBeVisible();
  // The answer comes while the question is not stored yet.
  const held = await HeldStore.of(page, "epitome-chat", "#saved");
  await chat.say("Two.");
  expect(await held.release()).toEqual(["Saving …"]);
  await expect(saved).toBeVisible();
  await page.reload();
  await expect(chat.log.getByRole("article")).toHaveCount(4);
});

test("a button can be pressed as soon as something comes of it", async ({ page, context }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go this year?");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const held = await HeldStore.of(page, "epitome-chat", "#saved");
  const second = await context.newPage();
  await second.goto(page.url());
  for (const name of ["Settings", "Conversations", "Compact now", "Add an agent", "Send a long example", "Send"]) {
    await expect(second.getByRole("button", { name, exact: true })).toBeDisabled();
  }
  await held.release();
  await second.getByRole("button", { name: "Settings", exact: true }).click();
  await expect(second.getByRole("dialog", { name: "Settings" })).toBeVisible();
});

test("an archive that is cut off is not taken for a whole one", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("Where do the tulips go this year?");
  await chat.button("Conversations").click();
  const downloading = page.waitForEvent("download");
  await chat.button("Export this one").click();
  const archive = await readFile(await (await downloading).path());
  const url = page.url();
  const choosing = page.waitForEvent("filechooser");
  await chat.button("Import").click();
  await (await choosing).setFiles({ name: "tulips.jsonl", mimeType: "application/jsonl", buffer: archive.subarray(0, -20) });
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("status")).toHaveText("tulips.jsonl is damaged or cut off: nothing of it could be read.");
  await expect(dialog.getByRole("link", { name: "tulips" })).toHaveCount(1);
  await expect(page).toHaveURL(url);
});

test("what was damaged in the browser's storage is named, downloaded and deleted, and the rest of the conversation goes on", async ({ page }) => {
  const chat = new ChatPage(page);
  await chat.open();
  await chat.say("One.");
  await chat.say("Where do the tulips go?");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("epitome-chat");
        opening.onsuccess = () => {
          const transaction = opening.result.transaction("commits", "readwrite");
          transaction.objectStore("commits").openCursor().onsuccess = ({ target }) => {
            const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result;
            const { text } = (cursor?.value ?? { text: "" }) as { text: string };
            if (text.includes("tulips")) {
              cursor?.update({ ...cursor.value, text: text.replace("tulips", "roses") });
            }
            cursor?.continue();
          };
          transaction.oncomplete = () => resolve(opening.result.close());
        };
      }),
  );
  await page.reload();
  const alert = page.getByRole("alert");
  await expect(alert).toContainText(/damaged in the browser's storage\. It goes on without what was saved the last (\d+ times|time)\./);
  const articles = chat.log.getByRole("article");
  await expect(articles).toHaveCount(2);
  expect(await chat.faults()).toEqual([]);
  await chat.say("Two.");
  await expect(articles).toHaveCount(4);
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  const downloading = page.waitForEvent("download");
  await chat.button("Download the damaged part").click();
  expect(await readFile(await (await downloading).path(), "utf8")).toContain("Where do the roses go?");
  await chat.button("Delete the damaged part").click();
  await expect(alert).toBeHidden();
  await page.reload();
  await expect(articles).toHaveCount(4);
  await expect(alert).toBeHidden();
});

test("if the browser can store nothing, the chat goes on, says so, and is saved as a file", async ({ page }) => {
  const chat = new ChatPage(page);
  const disk = await Disk.of(page);
  await disk.leave(1_000_000);
  await chat.open();
  await chat.say("One.");
  await disk.leave(1);
  await chat.say(incompressible(120_000));
  await expect(page.getByText("Not saved: the browser has no space left;")).toBeVisible();
  // The first message and its answer are stored, and what is too long and its answer are not.
  const marked = chat.log.locator('[data-stored="not saved"]');
  await expect(chat.log.getByRole("article")).toHaveCount(4);
  await expect(marked).toHaveCount(2);
  await chat.say("Two.");
  await expect(chat.answers().last()).toBeVisible();
  const downloading = page.waitForEvent("download");
  await chat.button("Save as a file").click();
  expect(await readFile(await (await downloading).path(), "utf8")).toContain('"Two."');
  await disk.leave(1_000_000_000);
  await chat.say("Three.");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await expect(marked).toHaveCount(0);
});
