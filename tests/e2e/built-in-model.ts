// A mock of Chrome's Prompt API, because the browsers of the tests have no built-in model. It behaves as Chrome's documentation says.

import type { Page } from "@playwright/test";

/** Gives the page a model that answers in three pieces with what it was asked, and takes at most this many characters. */
export async function mockBuiltInModel(page: Page, longest = 100_000): Promise<void> {
  await page.addInitScript((quota) => {
    type Said = { role: string; content: string };
    class QuotaExceededError extends Error {
      override name = "QuotaExceededError";
      readonly quota = quota;
      constructor(readonly requested: number) {
        super("The input is too large.");
      }
    }
    const LanguageModel = {
      availability: () => Promise.resolve("available"),
      create: ({ initialPrompts = [] }: { initialPrompts?: Said[] }) => {
        const before = initialPrompts.reduce((sum, { content }) => sum + content.length, 0);
        if (before > quota) return Promise.reject(new QuotaExceededError(before));
        if (initialPrompts.some(({ role }, index) => role === "system" && index > 0)) {
          return Promise.reject(new TypeError("the system prompt must be the first one"));
        }
        return Promise.resolve({
          destroy: () => undefined,
          promptStreaming: (input: Said[], { signal }: { signal?: AbortSignal }) => {
            const pieces = ["You said: ", input.at(-1)?.content ?? "", ` (${initialPrompts.length} before)`];
            return new ReadableStream<string>({
              pull(controller) {
                if (signal?.aborted) return controller.error(signal.reason);
                const piece = pieces.shift();
                if (piece === undefined) controller.close();
                else controller.enqueue(piece);
              },
            });
          },
        });
      },
    };
    Object.assign(globalThis, { LanguageModel });
  }, longest);
}
