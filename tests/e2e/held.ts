// A store that a test holds back, by transactions of the real one that stay open.

import { expect, type Page } from "@playwright/test";

const SECOND = "what came second may be stored";

/** What is stored in a database waits from now on, for the end of a transaction. */
export class HeldStore {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** `shown` is the selector of what says whether it is stored. */
  static async of(page: Page, database: string, shown: string): Promise<HeldStore> {
    await page.evaluate(
      ([name, selector]) =>
        new Promise<void>((resolve) => {
          const state = Object.assign(window, { isHeld: true, seen: [] as string[] });
          const see = (text = document.querySelector(selector)?.textContent ?? ""): void => {
            if (text !== state.seen.at(-1)) {
              state.seen.push(text);
            }
          };
          new MutationObserver(() => see()).observe(document.body, { childList: true, characterData: true, subtree: true });
          const opening = indexedDB.open(name);
          opening.onsuccess = () => {
            const hold = (isHeld: () => boolean, then: () => void): void => {
              const commits = opening.result.transaction("commits", "readwrite").objectStore("commits");
              const next = (): void => {
                commits.count().onsuccess = () => (isHeld() ? next() : then());
              };
              next();
            };
            hold(() => state.isHeld, () => undefined);
            // Long enough for a page to say what it thinks of what was stored before.
            let rounds = 100;
            const holdSecond = (said: string): void =>
              hold(
                () => (rounds -= 1) > 0,
                () => {
                  see(said);
                  opening.result.close();
                },
              );
            Object.assign(window, { holdSecond });
            resolve();
          };
        }),
      [database, shown] as const,
    );
    return new HeldStore(page);
  }

  /** What came first is stored; what came second waits once more. Returns what was said until that could be stored, without
   * repetitions. */
  async release(): Promise<readonly string[]> {
    await this.#page.evaluate((said) => {
      const state = window as unknown as { isHeld: boolean; holdSecond(said: string): void };
      state.holdSecond(said);
      state.isHeld = false;
    }, SECOND);
    const seen = (): Promise<string[]> => this.#page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    await expect.poll(seen).toContain(SECOND);
    const all = await seen();
    return all.slice(0, all.indexOf(SECOND));
  }
}
