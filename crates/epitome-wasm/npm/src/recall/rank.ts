// The app's own ranking of what a search may quote, such as by embeddings or by a model that reranks.

import { epitomeError } from "../error.js";
import type { OfAgent } from "../host/events.js";

/** A message that may answer a question. */
export interface RecallCandidate {
  /** Its id, for `message` and `metadata`. */
  id: string;
  /** Its role, and behind it its author if that is known. */
  speaker: string;
  /** What is searched of it. */
  text: string;
  /** How well its words fit, from 0 to 1: the best one has 1. */
  score: number;
}

/** A message and how well it fits. */
export interface RankedMessage {
  id: string;
  /** Above 0. */
  score: number;
}

/**
 * Ranks messages for a question. It gets those whose words fit best, at most 50, and returns the messages that are to be quoted:
 * any of them, and others that have left the view, such as what the app's own index of embeddings has found. Messages that are not for
 * the agent that searches are never quoted.
 */
export type RankRecall = (question: string, candidates: RecallCandidate[], of: OfAgent) => readonly RankedMessage[] | Promise<readonly RankedMessage[]>;

/** How many candidates there are. */
export const MOST_CANDIDATES = 50;

/** Calls the app's function and checks what it returns. Undefined if it fails: the console says why. */
export async function rankedBy(rank: RankRecall, question: string, candidates: RecallCandidate[], of: OfAgent): Promise<readonly RankedMessage[] | undefined> {
  try {
    const ranked: unknown = await rank(question, candidates, of);
    if (!Array.isArray(ranked) || !ranked.every(isRanked)) {
      throw epitomeError("invalid-option", "rankRecall: expected a list of messages, each with an id and a score above 0");
    }
    return ranked;
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

function isRanked(value: unknown): value is RankedMessage {
  const { id, score } = (typeof value === "object" && value !== null ? value : {}) as Partial<RankedMessage>;
  return typeof id === "string" && typeof score === "number" && score > 0 && Number.isFinite(score);
}
