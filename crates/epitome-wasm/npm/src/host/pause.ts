// Lets the page react between two slices of a long work.

/** Resolves in a new task: before it, the page can be drawn, and what the user or the network has done is handled. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    // Vercel's edge runtime has neither of the two below. In Next they are there, and throw.
    if ("EdgeRuntime" in globalThis) {
      setTimeout(resolve);
      return;
    }
    // Node and Bun have it, and browsers do not.
    const { setImmediate: soon } = globalThis as { setImmediate?: (step: () => void) => unknown };
    if (typeof soon === "function") {
      soon(resolve);
      return;
    }
    // A browser delays each of many timers in a row by four milliseconds, and messages by none.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (): void => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
