// What the pages may do in the browser, even if they had a mistake; and to whom a key is sent.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { EpitomePage, scripted, toolLoop } from "./page.js";

interface Violation {
  directive: string;
  blocked: string;
}

/** Collects what the browser refuses from the first script on. */
async function watched(page: Page): Promise<() => Promise<Violation[]>> {
  await page.addInitScript(() => {
    const seen: object[] = [];
    Object.assign(globalThis, { seen });
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      seen.push({ directive: effectiveDirective, blocked: blockedURI }),
    );
  });
  return () => page.evaluate(() => (globalThis as unknown as { seen: Violation[] }).seen);
}

test("the page works under its policy: no script and no style inside it", async ({ page }) => {
  const violations = await watched(page);
  const epitome = new EpitomePage(page);
  const [response] = await Promise.all([page.waitForResponse((response) => response.url().endsWith("/")), epitome.open()]);
  const policy = response.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';");
  expect(policy).not.toContain("unsafe-inline");
  const html = await response.text();
  expect(html.match(/<script(?![^>]* src=)|<style|\son[a-z]+=|\sstyle=/g)).toBeNull();
  await epitome.load(toolLoop(8, { resultWords: 400 }));
  await epitome.tighten();
  await epitome.compact();
  await epitome.isCompacted();
  await epitome.rows.first().click();
  expect(await page.locator(".segment").first().evaluate((segment) => segment.clientWidth)).toBeGreaterThan(0);
  expect(await violations()).toEqual([]);
});

test("a server of files serves the page as it is built, and its policy is in it", async ({ page }) => {
  const folder = fileURLToPath(new URL("../../../dist", import.meta.url));
  const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://files").pathname;
    const file = join(folder, path === "/" ? "index.html" : path);
    readFile(file).then(
      (bytes) => response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const violations = await watched(page);
  try {
    const epitome = new EpitomePage(page);
    await epitome.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await epitome.compact();
    await epitome.isCompacted();
    expect(await violations()).toEqual([]);
    const written = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'ran'";
      try {
        document.head.append(script);
      } catch {
        // Refused by Trusted Types.
      }
      return document.title;
    });
    expect(written).not.toBe("ran");
  } finally {
    server.close();
  }
});

test("the chat app works under its policy", async ({ page }) => {
  const violations = await watched(page);
  const [response] = await Promise.all([page.waitForResponse((response) => response.url().endsWith("/chat/")), page.goto("/chat/")]);
  expect(response.headers()["content-security-policy"]).toContain("default-src 'none'");
  await page.getByRole("button", { name: "Send a long example" }).click();
  await expect(page.getByRole("meter").first()).toBeVisible();
  expect(await violations()).toEqual([]);
});

test("the browser stops a connection to another origin than the chosen endpoint", async ({ page }) => {
  const violations = await watched(page);
  await page.goto("http://127.0.0.1:18433/");
  const ask = (url: string) => page.evaluate((url) => fetch(url).then((response) => response.ok, () => "refused"), url);
  expect(await ask(`${scripted("ok")}/models`)).toBe(true);
  expect(await ask("http://127.0.0.1:18432/v1/models")).toBe("refused");
  expect(await violations()).toEqual([{ directive: "connect-src", blocked: "http://127.0.0.1:18432/v1/models" }]);
});

test("markup that could run a script is refused", async ({ page }) => {
  await page.goto("/");
  const write = (markup: string) =>
    page.evaluate((markup) => {
      try {
        document.createElement("div").innerHTML = markup;
        return "written";
      } catch (error) {
        return (error as Error).name;
      }
    }, markup);
  expect(await write("<p class='hint'>fine</p>")).toBe("written");
  for (const markup of ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<iframe src=x>", "<a href='javascript:alert(1)'>x</a>"]) {
    expect(await write(markup), markup).toBe("TypeError");
  }
});

test("j4: a key is not sent to another origin than the one it was typed for", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await epitome.summarizeAt("https://api.openai.com/v1");
  const key = page.getByLabel("Key (optional)");
  await key.fill("sk-for-openai-1");
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.headers()["authorization"] ?? ""));
  await page.getByLabel("Base URL").fill(scripted("ok/bound-key"));
  const warning = page.locator(".notice", { hasText: "Not sent:" });
  await expect(warning).toContainText("https://api.openai.com");
  await epitome.compact();
  await expect(epitome.result).toContainText("were given for https://api.openai.com");
  expect(sent.join()).not.toContain("sk-for-openai-1");
  await key.fill("sk-for-this-one");
  await expect(warning).toHaveCount(0);
  await epitome.compact();
  await epitome.isCompacted();
  expect(sent).toContain("Bearer sk-for-this-one");
  expect(sent.join()).not.toContain("sk-for-openai-1");
});

test("plain http beyond this device is warned of", async ({ page }) => {
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.openSample("Planning a trip");
  await epitome.summarizeAt("http://192.168.0.2:11434/v1");
  await expect(page.getByText("Not encrypted:")).toBeVisible();
  await page.getByLabel("Base URL").fill("https://192.168.0.2:11434/v1");
  await expect(page.getByText("Not encrypted:")).toHaveCount(0);
});
