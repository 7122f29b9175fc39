// One conversation about moving an office, written in eight formats.

/** A format's name in the package. */
export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "ai-sdk-ui"
  | "ai-sdk-model"
  | "gemini"
  | "langchain"
  | "bedrock";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly room: string; readonly day: number };
  readonly result: string;
}

interface Round {
  readonly reasoning: string;
  readonly calls: readonly Call[];
}

export interface Turn {
  readonly ask: string;
  readonly rounds: readonly Round[];
  readonly answer: string;
}

/** The conversation in one format: a document to load, and the messages in it. */
export interface Written {
  readonly document: unknown;
  readonly messages: readonly object[];
}

export const SYSTEM = "You plan the move of an office. Name the room and the day in every answer, and never move the server alone.";

const ROOMS = ["library", "kitchen", "workshop", "archive", "studio", "reception", "laboratory", "cellar"];

/** This many turns of one question, two rounds of calls, two of them in parallel, and an answer. */
export function turns(count: number): Turn[] {
  return Array.from({ length: count }, (_, index) => {
    const room = ROOMS[index % ROOMS.length] ?? "hall";
    return {
      ask: `What stands in the ${room}, who carries it, and does it all fit the lift on day ${index + 1}?`,
      rounds: [round(index, room, ["inventory", "crew"]), round(index, room, ["lift"])],
      answer: `The ${room} moves on day ${index + 1}: ${index + 3} crates by the lift before noon, and the cabinet by the stairs. Tell Noor by the evening before.`,
    };
  });
}

function round(index: number, room: string, names: readonly string[]): Round {
  const calls = names.map((name) => {
    const lines = Array.from(
      { length: 7 },
      (_, line) => `${name} line ${line + 1} for the ${room}: crate ${index * 7 + line + 1}, ${12 + line * 3 + index} kg, shelf ${line + 2}, checked by Noor`,
    );
    return { id: `call_${name}_${index + 1}`, name, input: { room, day: index + 1 }, result: lines.join("; ") };
  });
  return { reasoning: `The ${names.join(" and the ")} of the ${room} must be known first.`, calls };
}

const TOOLS = ["inventory", "crew", "lift"].map((name) => ({
  name,
  description: `Tells the ${name} of one room on one day of the move.`,
  schema: { type: "object", properties: { room: { type: "string" }, day: { type: "integer" } }, required: ["room"] },
}));

/** The conversation in each format. Instructions are next to the messages if the format has them there. */
export const written: { readonly [F in Format]: (story: readonly Turn[]) => Written } = {
  "openai-chat": (story) => {
    const messages = [
      { role: "system", content: SYSTEM },
      ...story.flatMap(({ ask, rounds, answer }) => [
        { role: "user", content: ask },
        ...rounds.flatMap(({ reasoning, calls }) => [
          {
            role: "assistant",
            content: reasoning,
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: "function",
              function: { name, arguments: JSON.stringify(input) },
            })),
          },
          ...calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
        ]),
        { role: "assistant", content: answer },
      ]),
    ];
    const tools = TOOLS.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    }));
    return { document: { model: "m", messages, tools }, messages };
  },

  "openai-responses": (story) => {
    const messages = story.flatMap(({ ask, rounds, answer }, turn) => [
      { role: "user", content: [{ type: "input_text", text: ask }] },
      ...rounds.flatMap(({ reasoning, calls }, at) => [
        {
          type: "reasoning",
          id: `rs_${turn}_${at}`,
          summary: [{ type: "summary_text", text: reasoning }],
          encrypted_content: `opaque-${turn}-${at}`,
        },
        ...calls.map(({ id, name, input }) => ({
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(input),
          status: "completed",
        })),
        ...calls.map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: result })),
      ]),
      {
        type: "message",
        id: `msg_${turn}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: answer, annotations: [] }],
      },
    ]);
    return { document: { model: "m", instructions: SYSTEM, input: messages }, messages };
  },

  anthropic: (story) => {
    const messages = story.flatMap(({ ask, rounds, answer }, turn) => [
      { role: "user", content: turn === 0 ? ask : [{ type: "text", text: ask }] },
      ...rounds.flatMap(({ reasoning, calls }) => [
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: reasoning, signature: `signed-${turn}` },
            ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
          ],
        },
        {
          role: "user",
          content: calls.map(({ id, result }) => ({ type: "tool_result", tool_use_id: id, content: result })),
        },
      ]),
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ]);
    const system = [{ type: "text", text: SYSTEM, cache_control: { type: "ephemeral" } }];
    return { document: { model: "m", max_tokens: 1024, system, messages }, messages };
  },

  "ai-sdk-ui": (story) => {
    const messages = story.flatMap(({ ask, rounds, answer }, turn) => [
      { id: `u${turn}`, role: "user", parts: [{ type: "text", text: ask }] },
      {
        id: `a${turn}`,
        role: "assistant",
        metadata: { turn },
        parts: [...rounds.flatMap(step), { type: "step-start" }, { type: "text", text: answer, state: "done" }],
      },
    ]);
    return { document: messages, messages };
  },

  "ai-sdk-model": (story) => {
    const messages = [
      { role: "system", content: SYSTEM },
      ...story.flatMap(({ ask, rounds, answer }) => [
        { role: "user", content: [{ type: "text", text: ask }] },
        ...rounds.flatMap(({ reasoning, calls }) => [
          {
            role: "assistant",
            content: [
              { type: "text", text: reasoning },
              ...calls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input })),
            ],
          },
          {
            role: "tool",
            content: calls.map(({ id, name, result }) => ({
              type: "tool-result",
              toolCallId: id,
              toolName: name,
              output: { type: "text", value: result },
            })),
          },
        ]),
        { role: "assistant", content: answer },
      ]),
    ];
    return { document: messages, messages };
  },

  gemini: (story) => {
    const messages = story.flatMap(({ ask, rounds, answer }, turn) => [
      { role: "user", parts: [{ text: ask }] },
      ...rounds.flatMap(({ reasoning, calls }) => [
        {
          role: "model",
          parts: [
            { text: reasoning, thought: true },
            ...calls.map(({ name, input }, at) => ({
              functionCall: { name, args: input },
              ...(at === 0 && { thoughtSignature: `c2lnbmVk${turn}` }),
            })),
          ],
        },
        { role: "user", parts: calls.map(({ name, result }) => ({ functionResponse: { name, response: { result } } })) },
      ]),
      { role: "model", parts: [{ text: answer }] },
    ]);
    return { document: { systemInstruction: { parts: [{ text: SYSTEM }] }, contents: messages }, messages };
  },

  langchain: (story) => {
    const stored = (type: string, data: object) => ({ type, data: { additional_kwargs: {}, response_metadata: {}, ...data } });
    const messages = [
      stored("system", { content: SYSTEM }),
      ...story.flatMap(({ ask, rounds, answer }, turn) => [
        stored("human", { content: ask }),
        ...rounds.flatMap(({ reasoning, calls }, at) => [
          stored("ai", {
            id: `ai-${turn}-${at}`,
            content: reasoning,
            tool_calls: calls.map(({ id, name, input }) => ({ type: "tool_call", id, name, args: input })),
            invalid_tool_calls: [],
          }),
          ...calls.map(({ id, name, result }) => stored("tool", { content: result, tool_call_id: id, name, status: "success" })),
        ]),
        stored("ai", { id: `ai-${turn}`, content: answer, tool_calls: [], invalid_tool_calls: [] }),
      ]),
    ];
    return { document: messages, messages };
  },

  bedrock: (story) => {
    const messages = story.flatMap(({ ask, rounds, answer }) => [
      { role: "user", content: [{ text: ask }] },
      ...rounds.flatMap(({ reasoning, calls }) => [
        {
          role: "assistant",
          content: [{ text: reasoning }, ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } }))],
        },
        {
          role: "user",
          content: calls.map(({ id, result }) => ({
            toolResult: { toolUseId: id, content: [{ text: result }], status: "success" },
          })),
        },
      ]),
      { role: "assistant", content: [{ text: answer }] },
    ]);
    const tools = TOOLS.map(({ name, description, schema }) => ({
      toolSpec: { name, description, inputSchema: { json: schema } },
    }));
    return { document: { modelId: "m", system: [{ text: SYSTEM }], messages, toolConfig: { tools } }, messages };
  },
};

/** An AI SDK message in which the assistant does everything in steps of one message. */
export function inOneMessage(story: readonly Turn[]): object[] {
  const steps = story.flatMap(({ rounds }) => rounds).flatMap(step);
  const answer = story.map(({ answer }) => answer).join(" ");
  return [
    { id: "u0", role: "user", parts: [{ type: "text", text: "Plan the whole move, room by room." }] },
    {
      id: "a0",
      role: "assistant",
      parts: [...steps, { type: "step-start" }, { type: "text", text: answer, state: "done" }],
    },
    { id: "u1", role: "user", parts: [{ type: "text", text: "Which room comes last?" }] },
  ];
}

function step({ reasoning, calls }: Round): object[] {
  return [
    { type: "step-start" },
    { type: "reasoning", text: reasoning, state: "done" },
    ...calls.map(({ id, name, input, result }) => ({
      type: `tool-${name}`,
      toolCallId: id,
      state: "output-available",
      input,
      output: result,
    })),
  ];
}
