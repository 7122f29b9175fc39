// How far estimates are from exact counts: per message of each kind, and per conversation.

import { corpus } from "../corpus.mjs";
import { estimateTokens } from "../epitome.mjs";
import { counters, estimators } from "../node-peers.mjs";
import { mean, percentile, sum } from "../statistics.mjs";

/** For shorter messages a difference of one or two tokens would be a large percentage. */
const SHORTEST_TOKENS = 20;

export async function measure({ progress }) {
  const [{ count: exact }, { count: tokenx }] = await Promise.all([counters.tiktoken(), estimators.tokenx()]);
  const estimates = { epitome: estimateTokens, tokenx, "characters ÷ 4": (text) => text.length / 4 };
  const names = Object.keys(estimates);

  const counted = async (text) => {
    const counts = { tokens: exact(text) };
    for (const name of names) {
      counts[name] = await estimates[name](text);
    }
    return counts;
  };
  const countedAll = async (texts) => {
    const all = [];
    for (const text of texts) {
      all.push(await counted(text));
    }
    return all;
  };
  const errors = (counts) =>
    Object.fromEntries(names.map((name) => [name, counts.map((one) => (one[name] / one.tokens - 1) * 100)]));
  const absolute = (values) => values.map(Math.abs);

  const kinds = [];
  const ofConversations = Object.fromEntries(names.map((name) => [name, []]));
  for (const one of corpus()) {
    progress(one.kind);
    const counts = [];
    for (const document of one.sources.flat()) {
      const messages = await countedAll(document);
      counts.push(...messages);
      if (one.conversations) {
        const tokens = sum(messages.map((message) => message.tokens));
        for (const name of names) {
          ofConversations[name].push((sum(messages.map((message) => message[name])) / tokens - 1) * 100);
        }
      }
    }
    const long = counts.filter(({ tokens }) => tokens >= SHORTEST_TOKENS);
    const of = errors(long);
    kinds.push({
      kind: one.kind,
      messages: long.length,
      tokens: sum(counts.map(({ tokens }) => tokens)),
      mean: Object.fromEntries(names.map((name) => [name, mean(absolute(of[name]))])),
      p95: Object.fromEntries(names.map((name) => [name, percentile(absolute(of[name]), 0.95)])),
      signed: Object.fromEntries(
        names.map((name) => [
          name,
          (sum(counts.map((one) => one[name])) / sum(counts.map(({ tokens }) => tokens)) - 1) * 100,
        ]),
      ),
    });
  }
  const conversations = {
    conversations: ofConversations.epitome.length,
    mean: Object.fromEntries(names.map((name) => [name, mean(ofConversations[name])])),
    p95: Object.fromEntries(names.map((name) => [name, percentile(absolute(ofConversations[name]), 0.95)])),
  };
  return { kinds, conversations: ofConversations.epitome.length === 0 ? undefined : conversations };
}
