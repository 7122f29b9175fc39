// The strategies that are compared, and the limits that all of them get.

import { createCompactor, type Policy, type PolicySpec, resolvePolicy } from "epitome/slim";
import type { LabInput } from "./conversation.js";
import type { Limits, Strategy } from "./strategy.js";
import { stateless } from "./strategy.js";
import { prune } from "./strategies/ai-sdk.js";
import { contextChef } from "./strategies/context-chef.js";
import { epitome } from "./strategies/epitome.js";
import { summarization, trim } from "./strategies/langchain.js";
import { t } from "../language.js";

const NOTHING = stateless(t("No compaction"), t("The whole conversation before each request."), async (messages) => [...messages]);

/** All strategies, doing nothing first. */
export function strategiesOf({ policy, preset, presets }: LabInput): Strategy[] {
  const compared = presets.filter(({ name }) => name !== preset);
  return [
    NOTHING,
    epitome(t("epitome, your settings"), t("With the settings of this page."), policy),
    ...compared.map(({ name, label }) =>
      epitome(
        t("epitome, {preset}", { preset: label }),
        t("The preset of this name, with the window of this page."),
        presetPolicy(name, policy),
      ),
    ),
    prune,
    trim,
    summarization,
    contextChef,
  ];
}

/** A policy as the Lab runs it: no agents, nothing in the background, and transcripts, since a summarizer without a model reads no
 * messages. A tokenizer that was opened on the page is not there, so tokens are estimated in place of it. */
export function labPolicy({ agents: _, ...policy }: PolicySpec): PolicySpec {
  const { counting = "estimate" } = policy;
  const isCountable = typeof counting === "string" || !("tokenizer" in counting);
  return {
    ...policy,
    prepareAt: null,
    counting: isCountable ? counting : "estimate",
    summary: { ...policy.summary, input: "transcript" },
  };
}

/** The preset with what belongs to the model and not to the strategy. */
function presetPolicy(preset: string, { window, modelWindow, counting, model, toolSchemaTokens }: PolicySpec): PolicySpec {
  return labPolicy({
    preset,
    ...(window !== undefined && { window }),
    ...(modelWindow !== undefined && { modelWindow }),
    ...(counting !== undefined && { counting }),
    ...(model !== undefined && { model }),
    ...(toolSchemaTokens !== undefined && { toolSchemaTokens }),
  });
}

/** The share of the window at which other packages begin if the policy depends on no tokens. */
const USUAL_THRESHOLD = 0.75;
/** The share of the window that the other packages' summaries may have: what the recommended policy leaves for its own. */
const SUMMARY_SHARE = 0.1;

/** What the policy says to the other packages. */
export async function limitsOf(spec: PolicySpec): Promise<Limits> {
  const policy = await resolvePolicy(spec);
  const compactor = await createCompactor({ format: "openai-chat", policy: spec });
  const { window, threshold = window * USUAL_THRESHOLD } = compactor.status();
  compactor.dispose();
  return { window, threshold: Math.round(threshold), keep: keepOf(policy, window), summary: Math.round(window * SUMMARY_SHARE) };
}

function keepOf({ keep }: Policy, window: number): Limits["keep"] {
  if ("fraction" in keep) {
    return { tokens: Math.round(keep.fraction * window) };
  }
  if ("rounds" in keep) {
    // A call, its result and what is said about it.
    return { messages: keep.rounds * 3 };
  }
  return keep;
}
