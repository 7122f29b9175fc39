// The listeners of an app.

import { messageOf } from "../error.js";

/** Calls a listener of the app, which cannot influence what happens: what it throws is logged to the console. */
export async function notify<T>(listener: ((news: T) => unknown) | undefined, news: T): Promise<void> {
  try {
    await listener?.(news);
  } catch (error) {
    try {
      console.error(error);
    } catch {
      // The console may throw when it reads the value.
      console.error(messageOf(error, "a listener failed and did not say why"));
    }
  }
}
