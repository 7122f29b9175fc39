// Tool loops to play again: a system prompt, and turns of a question and the answers to it, some of which call tools.

import { conversations, files } from "../node/recordings.mjs";

/** Loops that are shorter, in characters, or call tools less often, have nothing to shorten. */
const LEAST = { characters: 32_000, calls: 10 };

/** Of how many recordings of one file every tenth is taken, as long as there is one. */
const MOST_OF_A_FILE = 10;

/** The recorded tool loops, each as `{ id, system, turns: [{ question, answers: [{ text, calls }] }] }`. A call has `id`, `name`,
 * `input` and `output`. */
export function recordedLoops() {
  return files()
    // These are the same conversations once more, joined.
    .filter((name) => !name.startsWith("long-"))
    .flatMap((name) => {
      const loops = conversations(name).map(({ id, messages }) => loopOf(id, messages));
      const long = loops.filter((loop) => loop !== undefined);
      const step = Math.max(1, Math.floor(long.length / MOST_OF_A_FILE));
      return long.filter((_, index) => index % step === 0);
    });
}

/** A loop in which each of so many questions is answered after so many rounds of calls. */
export function writtenLoop({ turns, rounds, question, lookUp }) {
  let calls = 0;
  const call = () => {
    calls += 1;
    const at = `b${calls}/roses.txt`;
    return { id: `call_${calls}`, name: "look", input: { at }, output: lookUp(at) };
  };
  const answered = (turn) => [
    ...Array.from({ length: rounds }, (_, round) => ({ text: "", calls: round % 3 === 1 ? [call(), call()] : [call()] })),
    { text: `Answer ${turn}: the roses of bed ${turn} bloom from May on.`, calls: [] },
  ];
  const all = Array.from({ length: turns }, (_, turn) => ({ question: question(turn), answers: answered(turn) }));
  return { id: "written", system: "You look after a garden.", turns: all };
}

/** The loop of a recorded conversation; undefined if it is too short. */
function loopOf(id, messages) {
  const system = messages.filter(({ role }) => role === "system").map(textOf).join("\n");
  const turns = [];
  const open = new Map();
  let calls = 0;
  for (const message of messages) {
    const answers = turns.at(-1)?.answers;
    if (message.role === "user") {
      // Two questions in a row are one.
      if (answers?.length === 0) {
        turns.at(-1).question += `\n${textOf(message)}`;
      } else {
        turns.push({ question: textOf(message), answers: [] });
      }
    } else if (message.role === "tool") {
      const call = open.get(message.tool_call_id);
      if (call !== undefined) call.output = textOf(message);
    } else if (message.role === "assistant" && answers !== undefined) {
      const made = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
        calls += 1;
        // Some recordings use an id twice.
        const call = { id: `call_${calls}`, name, input: parsed(input), output: "" };
        open.set(id, call);
        return call;
      });
      const before = answers.at(-1);
      if (before !== undefined && before.calls.length === 0) {
        // A loop ends with an answer without calls, so one that goes on is a part of the next one.
        before.text = [before.text, textOf(message)].filter(Boolean).join("\n");
        before.calls = made;
      } else {
        answers.push({ text: textOf(message), calls: made });
      }
    }
  }
  const answered = turns.filter(({ answers }) => answers.length > 0);
  for (const { answers } of answered) {
    if (answers.at(-1).calls.length > 0) answers.push({ text: "Done.", calls: [] });
  }
  const characters = JSON.stringify(answered).length;
  return characters < LEAST.characters || calls < LEAST.calls ? undefined : { id, system, turns: answered };
}

function textOf({ content }) {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");
}

function parsed(text) {
  try {
    const value = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value };
  } catch {
    return { text };
  }
}
