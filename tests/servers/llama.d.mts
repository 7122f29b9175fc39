// The types of llama.mjs, for the tests of the page.

/** For `test` as `skip`: false, or why there is no model. */
export const skip: string | false;
/** For tests of what only the project's own endpoint has. */
export const skipOther: string | false;
/** Starts a server with a window of so many tokens, and waits until it answers. */
export function llama(context?: number): Promise<{ url: string; context: number; close(): void }>;
/** Messages of an app about a journey, of about so many tokens. */
export function journey(tokens: number): { role: string; content: string }[];
