// The chat page is accessible: axe finds no faults, at any width, in light and dark, and by keyboard.

import { expect, test } from "@playwright/test";
import { ChatPage } from "./chat-page.js";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 375, 320]) {
    test(`axe finds no faults, ${colorScheme}, ${width} pixels wide`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 760 });
      const chat = new ChatPage(page);
      await chat.open();
      expect(await chat.faults()).toEqual([]);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-start.png` });
      await chat.fill();
      await chat.notices.click();
      expect(await chat.faults()).toEqual([]);
      expect(await chat.overflow()).toBe(0);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-notice.png` });
      await chat.change({ "Base URL": "http://127.0.0.1:9/v1" });
      await chat.say("Are you there?");
      await expect(chat.alert).toBeVisible();
      expect(await chat.faults()).toEqual([]);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-problem.png` });
      await chat.button("Settings").click();
      expect(await chat.faults()).toEqual([]);
      expect(await chat.overflow()).toBe(0);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-settings.png` });
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toBeHidden();
      await expect(chat.button("Settings")).toBeFocused();
      await chat.button("Conversations").click();
      await page.getByRole("searchbox").fill("network");
      await chat.button("Find").click();
      await expect(chat.button("Give it to the model again").first()).toBeVisible();
      expect(await chat.faults()).toEqual([]);
      expect(await chat.overflow()).toBe(0);
      await page.screenshot({ path: `out/chat-${colorScheme}-${width}-conversations.png` });
    });
  }
}
