// One long conversation with tool calls, in the formats of the packages that are compared.

import { prng } from "../../tests/node/random.mjs";

const WORDS =
  `the of and to in a is that for it as was with be by on not he his but at are this have from or had an they
which one you were her all she there would their we him been has when who will more no if out so said what up its about
into than them can only other new some could time these two may then do first any my now such like our over man me even
most made after also did many before must through back years where much your way well down should because each
just those people table value return error request message function window summary budget`.split(/\s+/);

/** Words with this many characters in total. */
function prose(below, characters) {
  let text = "";
  while (text.length < characters) {
    text += `${WORDS[below(WORDS.length)]} `;
  }
  return text.slice(0, characters);
}

/** Messages of 390 characters on average, in rounds of six: a request, two calls, two results, an answer. */
export function history(messages) {
  const below = prng(messages + 1);
  const said = (shortest, span) => prose(below, shortest + below(span));
  const all = [];
  for (let turn = 0; all.length < messages; turn += 1) {
    const calls = [0, 1].map((side) => ({
      id: `call_${turn}_${side}`,
      name: "look_up",
      input: { query: said(40, 80), page: side },
    }));
    all.push(
      { role: "user", text: said(100, 300) },
      { role: "assistant", text: said(60, 120), calls },
      ...calls.map(({ id, name }) => ({ role: "tool", id, name, text: said(300, 700) })),
      { role: "assistant", text: said(200, 400), calls: [] },
    );
  }
  return all.slice(0, messages);
}

export const inOpenAI = (messages) =>
  messages.map(({ role, text, id, calls = [] }) => {
    if (role === "tool") return { role, tool_call_id: id, content: text };
    if (calls.length === 0) return { role, content: text };
    const functions = calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
    return { role, content: text, tool_calls: functions };
  });

export const inAISDK = (messages) =>
  messages.map(({ role, text, id, name, calls = [] }) => {
    if (role === "user") return { role, content: text };
    if (role === "tool")
      return {
        role,
        content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value: text } }],
      };
    const parts = calls.map((call) => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input: call.input,
    }));
    return { role, content: [{ type: "text", text }, ...parts] };
  });

/** The second parameter has LangChain's message classes. */
export const inLangChain = (messages, { HumanMessage, AIMessage, ToolMessage }) =>
  messages.map(({ role, text, id, calls = [] }) => {
    if (role === "user") return new HumanMessage(text);
    if (role === "tool") return new ToolMessage({ content: text, tool_call_id: id });
    return new AIMessage({
      content: text,
      tool_calls: calls.map((call) => ({ id: call.id, name: call.name, args: call.input })),
    });
  });

/** A message of 400 characters; every number gives a different text. */
export const request = (number) => ({ role: "user", content: prose(prng(number + 1), 400) });
