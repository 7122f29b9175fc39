// End-to-end tests in a real browser, against the built pages and two servers of our own.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";

const root = fileURLToPath(new URL("..", import.meta.url));
const windows = process.platform === "win32" ? ".exe" : "";
const serve = process.env["EPITOME_SERVE"] ?? `${root}target/release/epitome-serve${windows}`;

/** Without network traffic of its own, sandbox and graphics. */
const chromiumArguments = JSON.parse(readFileSync(new URL("chromium.json", import.meta.url), "utf8")) as string[];

/** The tests that measure processor time, which another browser would lengthen. */
const MEASURING = ["page/counting.spec.ts", "page/recorded.spec.ts"];

/** The demo server on a port. Without options it answers at once. */
function demo(port: number, options = "") {
  return {
    name: `demo server on ${port}`,
    command: `"${serve}" --page dist --chat www/dist --port ${port} ${options}`,
    cwd: root,
    url: `http://127.0.0.1:${port}/v1/models`,
    reuseExistingServer: false,
  };
}

export default defineConfig({
  testDir: "e2e",
  outputDir: "out",
  // What the page shows before its app has started, which a test records.
  snapshotPathTemplate: "../web/{arg}{ext}",
  reporter: [["list"]],
  // No retries, so that flaky tests fail.
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  use: {
    baseURL: "http://127.0.0.1:18430",
    trace: "off",
    // What a worker fetches is not seen by the tests that answer in place of a server.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: process.env["EPITOME_BROWSER"] ?? "/usr/bin/chromium",
      args: chromiumArguments,
    },
  },
  projects: [
    { name: "chromium", testIgnore: MEASURING, use: { browserName: "chromium" } },
    // One browser at a time, and run apart from the others.
    { name: "measuring", testMatch: MEASURING, workers: 1, use: { browserName: "chromium" } },
  ],
  webServer: [
    demo(18430),
    demo(18432, "--delay-ms 30"),
    demo(18433, "--endpoint http://127.0.0.1:18431"),
    {
      name: "scripted summarizer",
      command: "node servers/summarizer.mjs --port 18431",
      url: "http://127.0.0.1:18431/ok/v1/models",
      reuseExistingServer: false,
    },
  ],
});
