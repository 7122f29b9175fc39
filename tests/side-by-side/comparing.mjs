// Plays tool loops by every candidate, and adds up what came of it.

import { factsOf, survivors } from "./facts.mjs";
import { messagesOf, Player, requestsOf, tokensOf, tokensOfLoop } from "./player.mjs";

/** The share of a loop, besides its system prompt, that the window has room for. */
const ROOM = 0.4;

/** At how many requests of a loop facts are looked for: the last one, and others at equal distances before it. */
const LOOKS = 12;

/** The window for a loop, in tokens. */
const windowOf = (loop) => Math.floor(tokensOf(loop.system) + (tokensOfLoop(loop) - tokensOf(loop.system)) * ROOM);

/** Which facts there are at some of the requests of a loop, by the numbers of these requests, from 1. Those in the first half of the
 * loop are left out: nothing was shortened yet. */
async function factsBefore(loop) {
  const requests = requestsOf(loop).slice(0, -1);
  const all = await factsOf(messagesOf(loop));
  const half = Math.floor(requests.length / 2);
  const numbers = Array.from({ length: LOOKS }, (_, look) => requests.length - Math.floor((look * half) / LOOKS));
  return new Map(Array.from(new Set(numbers), (number) => [number, survivors(all, requests[number - 1])]));
}

/** What came of all loops, for each candidate: `{ name, requests, refused, overWindow, tokens, kept, failures }`. `kept` is the share of
 * the facts of all messages before a request that its prompt has, if a provider takes it: the mean over loops. */
export async function compare(loops, candidates, progress = () => {}) {
  const totals = candidates.map((candidate) => ({ ...candidate, requests: 0, refused: 0, overWindow: 0, tokens: 0, kept: 0, failures: [] }));
  for (const loop of loops) {
    const window = windowOf(loop);
    const facts = await factsBefore(loop);
    for (const total of totals) {
      progress(`${loop.id}: ${total.name}`);
      const player = new Player(window, new Set(facts.keys()));
      await total.play(loop, player, window).catch((error) => total.failures.push(`${loop.id}: ${error.message}`));
      const { requests, refused, overWindow, tokens, taken } = await player.end();
      total.requests += requests;
      total.refused += refused;
      total.overWindow += overWindow;
      total.tokens += tokens;
      const shares = Array.from(facts, ([number, there]) => survivors(there, taken.get(number) ?? []).length / there.length);
      total.kept += mean(shares) / loops.length;
    }
  }
  return totals;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
