// Pictures of every state of the page: `cargo xtask shots`. They are looked at, and compared with nothing.

import { defineConfig } from "@playwright/test";
import tests from "./playwright.config.js";

export default defineConfig({ ...tests, testDir: "shots", testMatch: "*.shots.ts", outputDir: "out/shots-run" });
