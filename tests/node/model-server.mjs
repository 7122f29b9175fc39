// A model behind HTTP on loopback, in two formats. Like providers, it refuses illegal messages, reads the beginning of a
// prompt from its cache if it has seen the same before, and locks thinking to what it was behind.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { refusals } from "./legality.mjs";

const TOOL = { name: "look", description: "Looks something up.", schema: { type: "object", properties: { at: { type: "string" } } } };
const SYSTEM = "You take care of a garden. ".repeat(40);

/** What an app gives with every request to the model, the messages apart; and its first messages. */
export const APP = {
  "openai-chat": {
    request: { tools: [{ type: "function", function: { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema } }] },
    first: [{ role: "system", content: SYSTEM }],
  },
  anthropic: {
    request: {
      system: [{ type: "text", text: SYSTEM, cache_control: { type: "ephemeral" } }],
      tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.schema }],
      thinking: { type: "enabled", budget_tokens: 1_024 },
    },
    first: [],
  },
};

/** An assistant's call of the tool for each of these ids, in this format. */
export function calling(format, ...ids) {
  if (format === "anthropic") {
    return { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "look", input: { at: id } })) };
  }
  const calls = ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: JSON.stringify({ at: id }) } }));
  return { role: "assistant", content: null, tool_calls: calls };
}

/** The result of a call, in this format. */
export function resulting(format, id, text) {
  return format === "anthropic"
    ? { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] }
    : { role: "tool", tool_call_id: id, content: text };
}

/** Text of a prompt in the order in which providers read it. A token is four characters of it. */
const promptOf = ({ tools = [], system = "", messages }) =>
  [JSON.stringify(tools), JSON.stringify(system), ...messages.map((message) => JSON.stringify(message))].join("\n");

/** The signature of thinking that comes after these messages. */
const signed = ({ tools, system }, before) =>
  createHash("sha256").update(JSON.stringify([tools, system, before])).digest("base64");

function misplacedThinking(body) {
  const { messages } = body;
  for (const [index, { content }] of messages.entries()) {
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === "thinking" && block.signature !== signed(body, messages.slice(0, index))) {
        return `messages.${index}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
      }
    }
  }
  return undefined;
}

function common(one, other) {
  let length = 0;
  while (length < one.length && one[length] === other[length]) {
    length += 1;
  }
  return length;
}

const FORMATS = {
  "openai-chat": {
    usage: (prompt, cached, completion) => ({
      prompt_tokens: prompt,
      completion_tokens: completion,
      prompt_tokens_details: { cached_tokens: cached },
    }),
    message: (text) => ({ role: "assistant", content: text }),
    whole: (message, usage) => ({ choices: [{ message, finish_reason: message.tool_calls ? "tool_calls" : "stop" }], usage }),
    events: ({ content, tool_calls: calls }, usage) => [
      { choices: [{ delta: calls === undefined ? { content } : { tool_calls: calls } }] },
      { choices: [{ delta: {}, finish_reason: calls === undefined ? "stop" : "tool_calls" }] },
      { choices: [], usage },
    ],
    error: (message) => ({ error: { message, type: "invalid_request_error" } }),
  },
  anthropic: {
    usage: (prompt, cached, completion) => ({
      input_tokens: prompt - cached,
      cache_read_input_tokens: cached,
      output_tokens: completion,
    }),
    message: (text, body) => {
      const thinking = { type: "thinking", thinking: `So: ${text}`, signature: signed(body, body.messages) };
      return { role: "assistant", content: [...(body.thinking ? [thinking] : []), { type: "text", text }] };
    },
    whole: ({ content }, usage) => ({ type: "message", role: "assistant", content, stop_reason: stopOf(content), usage }),
    events: ({ content }, usage) => [
      { type: "message_start", message: { content: [], usage: { ...usage, output_tokens: 1 } } },
      ...content.flatMap((block, index) => [
        { type: "content_block_start", index, content_block: block.type === "text" ? { type: "text", text: "" } : block },
        ...(block.type === "text" ? [{ type: "content_block_delta", index, delta: { type: "text_delta", text: block.text } }] : []),
      ]),
      { type: "message_delta", delta: { stop_reason: stopOf(content) }, usage: { output_tokens: usage.output_tokens } },
      { type: "message_stop" },
    ],
    error: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  },
};

const stopOf = (content) => (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn");

/**
 * Serves a model. `answer` gets the body of each request and returns a text or an assistant message; `refuses` may return why
 * a request is refused. `bodies` are the requests so far, each as its text and as JSON.
 */
export async function serveModel(format, { answer, refuses = () => undefined }) {
  const { usage: usageOf, message: messageOf, whole, events, error } = FORMATS[format];
  const bodies = [];
  const prompts = [];
  const respond = async (text) => {
    const body = JSON.parse(text);
    bodies.push({ text, body });
    const prompt = promptOf(body);
    const tokens = Math.ceil(prompt.length / 4);
    const [refused] = await refusals(format, body.messages, body.messages);
    const reason = refuses(body) ?? refused ?? misplacedThinking(body) ?? (body.tool_choice && !body.tools ? "tool_choice without tools" : undefined);
    if (reason !== undefined) {
      return { status: 400, body: error(reason) };
    }
    const cached = Math.floor(Math.max(0, ...prompts.map((earlier) => common(prompt, earlier))) / 4);
    prompts.push(prompt);
    const answered = answer(body);
    const message = typeof answered === "string" ? messageOf(answered, body) : answered;
    const usage = usageOf(tokens, cached, Math.ceil(JSON.stringify(message).length / 4));
    return body.stream === true ? { status: 200, events: events(message, usage) } : { status: 200, body: whole(message, usage) };
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    const reply = await respond(text);
    if (reply.events === undefined) {
      response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
    } else {
      response.writeHead(200, { "content-type": "text/event-stream" });
      reply.events.forEach((event) => response.write(`data: ${JSON.stringify(event)}\n\n`));
      response.end(format === "openai-chat" ? "data: [DONE]\n\n" : undefined);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
  const path = format === "anthropic" ? "/messages" : "/chat/completions";
  /** Sends these messages to the model, as the app does, and returns its message and the usage. */
  const ask = async (messages) => {
    const body = { model: "m", ...APP[format].request, messages };
    const response = await fetch(baseURL + path, { method: "POST", body: JSON.stringify(body) });
    const reply = await response.json();
    if (!response.ok) {
      throw new Error(reply.error.message);
    }
    const message = reply.choices?.[0].message ?? { role: reply.role, content: reply.content };
    return { message, usage: reply.usage };
  };
  return { baseURL, bodies, ask, close: () => server.close() };
}
