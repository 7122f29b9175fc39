// What must compile with the package and the SDKs, and what must not.

import type Anthropic from "@anthropic-ai/sdk";
import type { Message as BedrockMessage } from "@aws-sdk/client-bedrock-runtime";
import type { Content } from "@google/genai";
import type { BaseMessage } from "@langchain/core/messages";
import type { ModelMessage, UIMessage } from "ai";
import {
  compactMessages, type Compactor, type CompactorOptions, convert, createCompactor, type Format, type FormatOf, type MessageOf, openAICompatible, type PolicySpec,
  repair, restoreCompactor, runTurn, type Summarize,
} from "epitome";
import { chatStore, prepareStep } from "epitome/ai";
import { runMessages } from "epitome/anthropic";
import { runChat } from "epitome/openai";
import type { Economics } from "epitome/models";
import { compactingFilter, type GivenCompactor } from "epitome/openai-agents";
import { createWorkerCompactor } from "epitome/worker";
import type OpenAI from "openai";

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** The type of message of each SDK. */
interface Sdk {
  "openai-chat": ChatMessage;
  "openai-responses": OpenAI.Responses.ResponseInputItem;
  anthropic: Anthropic.MessageParam;
  "ai-sdk-ui": UIMessage;
  "ai-sdk-model": ModelMessage;
  gemini: Content;
  langchain: BaseMessage;
  bedrock: BedrockMessage;
}

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
type Accepts<Target, Source> = [Source] extends [Target] ? true : Exclude<Source, Target>;
type ForEach<T extends Record<Format, unknown>> = T;

/** A table with `true` for each format; what fails to compile names the format and the messages that do not fit. */
const ALL = {
  "openai-chat": true, "openai-responses": true, anthropic: true, "ai-sdk-ui": true, "ai-sdk-model": true, gemini: true, langchain: true, bedrock: true,
} as const;

export const takes: ForEach<{ [F in Format]: Accepts<MessageOf<F>, Sdk[F]> }> = ALL;
export const gives: ForEach<{ [F in Format]: Accepts<Sdk[F], MessageOf<F>> }> = ALL;
export const belongs: ForEach<{ [F in Format]: Same<FormatOf<Sdk[F]>, F> }> = ALL;

/** Types of which no format can be said. */
type Own = { role: "user" | "assistant"; content: string; id?: string };
type Loose = { role: string; content: any[] };
export const anyFormat: { [T in "own" | "loose" | "object" | "record"]: Same<FormatOf<{ own: Own; loose: Loose; object: object; record: Record<string, unknown> }[T]>, Format> } =
  { own: true, loose: true, object: true, record: true };

export async function everyFormatHasItsMessages(): Promise<void> {
  (await createCompactor({ format: "openai-chat" })).messages() satisfies ChatMessage[];
  const team = await createCompactor<ChatMessage>({ format: "openai-chat" });
  const critic = team.agent("critic", { format: "anthropic" });
  critic.messages() satisfies Anthropic.MessageParam[];
  critic.history() satisfies ChatMessage[];
  critic.append({ role: "assistant", content: [{ type: "text", text: "hm" }] } satisfies Anthropic.MessageParam);
  team.agent<UIMessage>("writer", { format: "ai-sdk-ui" }).messages() satisfies UIMessage[];
  await runTurn(critic, { request: (messages) => ({ messages: messages satisfies Anthropic.MessageParam[] }) });
  // @ts-expect-error messages of the team's format are not those of the agent's
  critic.append({ role: "tool", tool_call_id: "a", content: "b" });
  (await createCompactor({ format: "openai-responses" })).messages() satisfies OpenAI.Responses.ResponseInputItem[];
  (await createCompactor({ format: "anthropic", policy: { window: 9_000 } })).messages() satisfies Anthropic.MessageParam[];
  (await createCompactor({ format: "ai-sdk-ui" })).messages() satisfies UIMessage[];
  (await createCompactor({ format: "ai-sdk-model", policy: { window: 9_000 } })).messages() satisfies ModelMessage[];
  (await createCompactor({ format: "gemini" })).messages() satisfies Content[];
  (await createCompactor({ format: "langchain" })).messages() satisfies BaseMessage[];
  (await createCompactor({ format: "bedrock" })).messages() satisfies BedrockMessage[];
  (await restoreCompactor("{}", { format: "gemini", originals: [] })).messages() satisfies Content[];
}

export async function aFormatFixesTheTypeOfMessage(openai: OpenAI, anthropic: Anthropic): Promise<void> {
  const chat = await createCompactor({ format: "openai-chat" });
  chat.append({ role: "user", content: "hi" });
  chat.append([{ role: "system", content: "Be brief." }, { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "so" }] }]);
  const { choices, usage } = await openai.chat.completions.create({ model: "m", messages: chat.messages() });
  chat.append(choices.map(({ message }) => message));
  chat.reportUsage(usage);
  chat.sync(chat.messages());
  // @ts-expect-error A page's messages are not chat messages.
  chat.append({ id: "1", role: "user", parts: [] } as UIMessage);
  // @ts-expect-error No message of this format has this role.
  chat.append({ role: "model", content: "hi" });

  const claude = await createCompactor({ format: "anthropic" });
  const { content, usage: used } = await anthropic.messages.create({ model: "m", max_tokens: 9, messages: claude.messages() });
  claude.append({ role: "assistant", content });
  claude.reportUsage(used);

  const items = await createCompactor({ format: "openai-responses" });
  const { output } = await openai.responses.create({ model: "m", input: items.messages() });
  items.append(output);
}

export async function aTypeOfMessageFixesTheFormat(snapshot: string): Promise<void> {
  (await createCompactor<UIMessage>({ format: "ai-sdk-ui" })).messages() satisfies UIMessage[];
  (await createCompactor<BaseMessage>({ format: "langchain" })).messages() satisfies BaseMessage[];
  (await createCompactor<Own>({ format: "openai-chat" })).messages() satisfies Own[];
  // @ts-expect-error A page's messages are not chat messages.
  void createCompactor<UIMessage>({ format: "openai-chat" });
  // @ts-expect-error Claude's messages are not chat messages.
  void createCompactor<Anthropic.MessageParam>({ format: "openai-chat" });
  // @ts-expect-error Chat messages are not a page's messages.
  void restoreCompactor<ChatMessage>(snapshot, { format: "ai-sdk-ui", originals: [] });
  // @ts-expect-error There is no such format.
  void createCompactor({ format: "html" });
  const assigned: Compactor<Own> = await createCompactor({ format: "openai-chat", summarize: ({ input }) => input });
  assigned.messages() satisfies Own[];
  // @ts-expect-error A page's messages are not chat messages.
  const wrong: Compactor<UIMessage> = await createCompactor({ format: "openai-chat" });
  wrong.dispose();
  const options: CompactorOptions<ModelMessage> = { format: "ai-sdk-model" };
  (await createCompactor(options)).messages() satisfies ModelMessage[];
}

export async function functionsKeepTheTypeOfMessage(ui: UIMessage[], chat: ChatMessage[], claude: Anthropic.MessageParam[]): Promise<void> {
  (await compactMessages(ui, { format: "ai-sdk-ui", usage: undefined })).messages satisfies UIMessage[];
  (await compactMessages(chat, { format: "openai-chat", summarize: () => "They worked." })).messages satisfies ChatMessage[];
  // @ts-expect-error A page's messages are not chat messages.
  void compactMessages(ui, { format: "openai-chat" });
  const literals = await compactMessages([{ role: "user", content: "hi" }], { format: "openai-chat" });
  literals.messages satisfies ChatMessage[];
  (await convert(claude, "anthropic", "openai-chat")).messages satisfies ChatMessage[];
  (await convert<UIMessage>(claude, "anthropic", "ai-sdk-ui")).messages satisfies UIMessage[];
  (await repair(claude, "anthropic")).messages satisfies Anthropic.MessageParam[];
  // @ts-expect-error Claude's messages are not chat messages.
  void repair(claude, "openai-chat");
}

export async function optionsMayBeDeclaredApart(isLocal: boolean): Promise<void> {
  const policy: PolicySpec = {
    window: 128_000,
    triggers: [{ fill: { fraction: 0.7 } }],
    summary: { shape: "sevenSections" },
    counting: { encoding: "o200k_base" },
  };
  const own: Summarize = async (request, { signal, onDelta }) => {
    onDelta(request.input.slice(0, signal.aborted ? 0 : 9));
    return { text: "They worked.", finishReason: "stop" };
  };
  const summarize = isLocal ? openAICompatible({ baseURL: "http://localhost:11434/v1", model: "m" }) : own;
  await createCompactor({ format: "openai-chat", policy, summarize });
  await createCompactor<UIMessage>({ format: "ai-sdk-ui", policy, summarize });
  await createCompactor({
    format: "anthropic",
    summarize: async ({ input, messages, prompt }, { signal }) => `${input} ${messages?.length} ${prompt?.role} ${signal.aborted}`,
    countTokens: async (messages) => messages.length,
    beforeCompaction: ({ forced, contextPercent }) => forced || contextPercent > 60,
    onEvent: (event) => event.type === "end" && console.log(event.report.outcome),
  });
}

export async function theEntriesForSdksTakeCompactorsInWorkers(openai: OpenAI, anthropic: Anthropic): Promise<void> {
  prepareStep(createWorkerCompactor({ format: "ai-sdk-model" }));
  compactingFilter(await createWorkerCompactor({ format: "openai-responses" }));
  const store = await chatStore(createWorkerCompactor({ format: "ai-sdk-ui" }));
  store.compactor.terminate();
  (await store.compactor.messages()) satisfies UIMessage[];
  (await chatStore()).compactor.status().tokens satisfies number;
  await runChat(openai, await createWorkerCompactor({ format: "openai-chat" }), { model: "m" });
  await runMessages(anthropic, await createWorkerCompactor({ format: "anthropic" }), { model: "m", max_tokens: 9 });
  // @ts-expect-error Claude's messages are not chat messages.
  await runChat(openai, await createWorkerCompactor({ format: "anthropic" }), { model: "m" });
}

/** Types that several entries export. */
export const shared: { given?: GivenCompactor<object>; costs?: Economics } = {};
