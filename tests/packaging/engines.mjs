// The three browser engines, each driven by WebDriver: Chromium, Firefox, and WebKit in the form that Linux has, WebKitGTK.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Builder } from "selenium-webdriver";
import { findFreePort } from "selenium-webdriver/net/portprober.js";
import { DriverService } from "selenium-webdriver/remote/index.js";
import { ARGUMENTS, executablePath } from "./chromium.mjs";

const FIREFOX = "/usr/bin/firefox-esr";
const SCREEN = "/usr/bin/Xvfb";

/** Each engine with its driver, what a session of it is asked for, and the programs that it needs. */
export const ENGINES = {
  Chromium: {
    driver: process.env.EPITOME_CHROMEDRIVER || "/usr/bin/chromedriver",
    needs: [executablePath],
    capabilities: { "browserName": "chrome", "goog:chromeOptions": { binary: executablePath, args: [...ARGUMENTS, "--headless=new"] } },
  },
  Firefox: {
    driver: process.env.EPITOME_GECKODRIVER || "/usr/bin/geckodriver",
    needs: [FIREFOX],
    capabilities: { "browserName": "firefox", "moz:firefoxOptions": { binary: FIREFOX, args: ["-headless"] } },
  },
  // It has no mode without a screen. Its sandbox cannot be started by root; the pages are those of these tests, on loopback.
  WebKit: {
    driver: "/usr/bin/WebKitWebDriver",
    needs: [SCREEN],
    capabilities: { browserName: "MiniBrowser" },
    environment: { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
  },
};

/** Why an engine cannot be used on this machine, or false. */
export function missing({ driver, needs }) {
  const absent = [driver, ...needs].filter((program) => !existsSync(program));
  return absent.length > 0 && `${absent.join(" and ")} is not there`;
}

/** Opens an address in a browser of the engine, calls a function with its session, and ends both. */
export async function inEngine({ driver, needs, capabilities, environment }, address, use) {
  const screen = needs.includes(SCREEN) ? await startScreen() : undefined;
  const port = await findFreePort("127.0.0.1");
  const env = { ...process.env, ...environment, ...(screen && { DISPLAY: screen.display }) };
  const service = new DriverService(driver, { loopback: true, port, args: [`--port=${port}`], env });
  try {
    const session = await new Builder().usingServer(await service.start()).withCapabilities(capabilities).build();
    try {
      await session.get(address);
      return await use(session);
    } finally {
      await session.quit();
    }
  } finally {
    await service.kill();
    screen?.close();
  }
}

/** A screen in memory. */
async function startScreen() {
  const screen = spawn(SCREEN, ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], { stdio: ["ignore", "pipe", "ignore"] });
  const [number] = await once(screen.stdout, "data");
  return { display: `:${String(number).trim()}`, close: () => screen.kill() };
}
