// The package of this repository, with a policy.

import { type Compactor, createCompactor, extractive, type PolicySpec } from "epitome/slim";
import type { Message, Request } from "../requests.js";
import { callsOf, type Run, type Strategy, type Tools } from "../strategy.js";
import type { Summarization } from "../summarizer.js";

/** A compactor with this policy, which is asked at every phase of the app's loop. */
export function epitome(name: string, about: string, policy: PolicySpec): Strategy {
  return { name, about, begin: (tools) => begin(policy, tools) };
}

async function begin(policy: PolicySpec, { meter, signal }: Tools): Promise<Run> {
  const summaries: Summarization[] = [];
  const compactor = await createCompactor<Message>({
    format: "openai-chat",
    policy,
    async summarize(request, context) {
      const text = await extractive(request, context);
      const prompt: Message[] = [
        { role: "system", content: request.system },
        { role: "user", content: request.input },
      ];
      const readTokens = await meter.tokensOfPrompt(prompt);
      summaries.push({ readTokens, writtenTokens: meter.tokensOf({ role: "assistant", content: text }) });
      return text;
    },
  });
  return {
    async view({ added }) {
      await append(compactor, added, signal);
      await compactBefore(compactor, signal);
      return { messages: compactor.messages(), summaries: summaries.splice(0) };
    },
    dispose: () => compactor.dispose(),
  };
}

/** Adds messages as they come in an app: an answer without calls ends a turn. */
async function append(compactor: Compactor<Message>, added: Request["added"], signal: AbortSignal): Promise<void> {
  for (const message of added) {
    compactor.append(message);
    if (message.role === "assistant" && callsOf(message).length === 0) {
      await compactor.compactIfNeeded({ phase: "turnEnd", signal });
    }
  }
}

/** What is due before a request, in the order in which a turn of the package asks for it. */
async function compactBefore(compactor: Compactor<Message>, signal: AbortSignal): Promise<void> {
  const report = await compactor.compactIfNeeded({ signal });
  if (report === undefined) {
    await compactor.compactIfNeeded({ phase: "turnStart", signal });
  }
  signal.throwIfAborted();
}
