// A disk with as much space as a test wants, by the browser's own debugging protocol.

import { type CDPSession, type Page } from "@playwright/test";

/** The disk that a page stores on. */
export class Disk {
  readonly #devtools: CDPSession;

  private constructor(devtools: CDPSession) {
    this.#devtools = devtools;
  }

  static async of(page: Page): Promise<Disk> {
    return new Disk(await page.context().newCDPSession(page));
  }

  /** Leaves this many bytes in all. The browser looks for space again once a write is larger, compressed, than what it had found. */
  async leave(quotaSize: number): Promise<void> {
    await this.#devtools.send("Storage.overrideQuotaForOrigin", { origin: "http://127.0.0.1:18430", quotaSize });
  }
}

/** A text of so many numbers that look random. */
export function incompressible(numbers: number): string {
  let number = 7;
  const next = (): string => {
    number = (number * 1_103_515_245 + 12_345) % 2_147_483_648;
    return number.toString(36);
  };
  return Array.from({ length: numbers }, next).join(" ");
}
