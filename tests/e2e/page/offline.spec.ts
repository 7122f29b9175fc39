// The page works without a network once it was opened with one.

import { expect, test } from "@playwright/test";
import { EpitomePage } from "./page.js";

test.use({ serviceWorkers: "allow" });

test("a page that was opened before opens and compacts without a network", async ({ page, context }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await context.setOffline(true);
  await page.reload();
  await epitome.isLoaded("Customer support");
  await epitome.compact();
  await epitome.isCompacted();
  await expect(epitome.result).toContainText("6,917");
  expect(epitome.errors).toEqual([]);
});

test("a large sample that was opened before opens without a network", async ({ page, context }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await page.reload();
  await epitome.isLoaded("Customer support");
  await epitome.openSample("A flat in pictures");
  await context.setOffline(true);
  await page.reload();
  await epitome.isLoaded("Customer support");
  await epitome.openSample("A flat in pictures");
  await epitome.openSample("Planning a trip");
  await epitome.button("A long coding session").click();
  await expect(epitome.alert).toContainText("The sample could not be fetched.");
});

test("with a network, the page is the server's, also if that has another one by now", async ({ page, context }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  await context.route(
    ({ pathname }) => pathname === "/",
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/<title>.*?<\/title>/, "<title>newer</title>") });
    },
  );
  const answer = await page.reload();
  expect(answer?.fromServiceWorker()).toBe(true);
  await expect(page).toHaveTitle("newer");
});

test("it is installed in the language that it is open in", async ({ page }) => {
  await page.goto("/he.html");
  const session = await page.context().newCDPSession(page);
  const { errors, data } = await session.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "{}") as Record<string, string>;
  expect(manifest).toMatchObject({ lang: "he", dir: "rtl", start_url: "./he.html", name: await page.title() });
  expect(manifest["description"]).toBe(await page.locator("meta[name=description]").getAttribute("content"));
});

test("it can be installed", async ({ page }) => {
  await page.goto("/");
  const session = await page.context().newCDPSession(page);
  const { errors, manifest } = await session.send("Page.getAppManifest").then(async (found) => ({
    errors: found.errors,
    manifest: JSON.parse(found.data ?? "{}") as { name?: string; icons?: { src: string }[] },
  }));
  expect(errors).toEqual([]);
  expect(manifest.name).toBe("epitome – context compaction");
  for (const { src } of manifest.icons ?? []) expect((await page.request.get(`/${src}`)).ok()).toBe(true);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
});
