// Session files of coding agents, and exports of traces: each is read as the conversation that the model has.

import { expect, test } from "@playwright/test";
import { validate } from "epitome";
import { sessionsIn } from "../../../web/sessions/read.js";
import { EpitomePage } from "./page.js";

const lines = (entries: readonly object[]): string => entries.map((entry) => JSON.stringify(entry)).join("\n");

/** An entry of Claude Code behind another one. */
const entry = (uuid: string, parentUuid: string | null, message: object, more: object = {}): object => {
  const { role } = message as { role: string };
  return { parentUuid, isSidechain: false, type: role, uuid, sessionId: "s", message, ...more };
};
const says = (role: string, content: unknown, id?: string): object => ({ role, content, ...(id !== undefined && { id, usage: { output_tokens: 3 } }) });
const call = (id: string): object => ({ type: "tool_use", id, name: "Read", input: { path: `src/${id}.rs` } });
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: `pub fn ${id}() {}` });

const CLAUDE_CODE = lines([
  { type: "file-history-snapshot", messageId: "1" },
  { type: "summary", summary: "Tulips in bed 2", leafUuid: "9" },
  entry("1", null, says("user", "Where do the tulips go?")),
  entry("x", "1", says("assistant", [{ type: "text", text: "Taken back." }], "msg_0")),
  entry("y", "1", says("user", "In a subagent."), { isSidechain: true }),
  entry("2", "1", says("assistant", [{ type: "text", text: "I look." }], "msg_1")),
  entry("3", "2", says("assistant", [call("a")], "msg_1")),
  entry("4", "3", says("assistant", [call("b")], "msg_1")),
  entry("5", "3", says("user", [result("a")])),
  entry("6", "4", says("user", [result("b")])),
  entry("7", "6", says("assistant", [{ type: "text", text: "Overloaded" }], "msg_e"), { isApiErrorMessage: true }),
  entry("8", "6", says("assistant", [{ type: "text", text: "Into bed 2." }], "msg_2")),
]) + '\n{"parentUuid":"8","cut';

const item = (payload: object): object => ({ timestamp: "2026-11-01T10:00:00Z", type: "response_item", payload });
const message = (role: string, text: string): object => ({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });

const CODEX = lines([
  { type: "session_meta", payload: { id: "0199", cwd: "/garden", base_instructions: { text: "You are a gardener." } } },
  item(message("user", "Where do the tulips go?")),
  { type: "event_msg", payload: { type: "token_count" } },
  item({ type: "reasoning", summary: [], encrypted_content: "gAAA" }),
  item({ type: "function_call", call_id: "c1", name: "shell", arguments: '{"command":["ls"]}' }),
  item({ type: "function_call_output", call_id: "c1", output: "bed-2" }),
  item(message("assistant", "Into bed 2.")),
]);

const said = (id: string, parentId: string | null, content: object): object => ({ type: "message", id, parentId, timestamp: "2026-11-01T10:00:00Z", message: content });

const PI = lines([
  { type: "session", version: 3, id: "pi-1", cwd: "/garden" },
  said("1", null, { role: "user", content: [{ type: "text", text: "Where do the tulips go?" }] }),
  said("2", "1", { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }, { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls" } }, { type: "toolCall", id: "c2", name: "bash", arguments: { command: "pwd" } }] }),
  said("2b", "2", { role: "toolResult", toolCallId: "c2", toolName: "bash", content: [{ type: "text", text: "/garden" }], isError: false }),
  said("3", "2b", { role: "toolResult", toolCallId: "c1", toolName: "bash", content: [{ type: "text", text: "bed-2" }], isError: false }),
  { type: "compaction", id: "4", parentId: "3", summary: "Tulips are looked for.", firstKeptEntryId: "2", tokensBefore: 900 },
  said("5", "4", { role: "assistant", content: [{ type: "text", text: "Into bed 2." }] }),
]);

const OPENCODE = JSON.stringify({
  info: { id: "ses_1", title: "Tulips" },
  messages: [
    { info: { id: "m1", role: "user", sessionID: "ses_1" }, parts: [{ type: "text", text: "Where do the tulips go?" }] },
    {
      info: { id: "m2", role: "assistant", sessionID: "ses_1" },
      parts: [
        { type: "step-start" },
        { type: "tool", tool: "list", callID: "c1", state: { status: "completed", input: { path: "." }, output: "bed-2" } },
        { type: "tool", tool: "read", callID: "c2", state: { status: "error", input: { path: "bed-3" }, error: "not there" } },
        { type: "step-finish" },
        { type: "step-start" },
        { type: "text", text: "Into bed 2." },
      ],
    },
  ],
}, undefined, 2);

const LANGFUSE = JSON.stringify({
  id: "trace-1",
  name: "garden",
  observations: [
    { type: "SPAN", input: "x" },
    { type: "GENERATION", startTime: "2026-11-01T10:00:02Z", input: JSON.stringify({ messages: [{ role: "user", content: "Where do the tulips go?" }, { role: "assistant", content: "Which?" }, { role: "user", content: "The red ones." }] }), output: { role: "assistant", content: "Into bed 2." } },
    { type: "GENERATION", startTime: "2026-11-01T10:00:01Z", input: [{ role: "user", content: "Where do the tulips go?" }], output: "Which?" },
  ],
});

const FILES = {
  "Claude Code": { text: CLAUDE_CODE, format: "anthropic", name: "Tulips in bed 2", roles: ["user", "assistant", "user", "assistant"] },
  Codex: { text: CODEX, format: "openai-responses", name: "0199", roles: ["user", undefined, undefined, undefined, "assistant"] },
  pi: { text: PI, format: "anthropic", name: "pi-1", roles: ["user", "assistant", "user", "assistant"] },
  opencode: { text: OPENCODE, format: "ai-sdk-ui", name: "Tulips", roles: ["user", "assistant"] },
  Langfuse: { text: LANGFUSE, format: "openai-chat", name: "garden", roles: ["user", "assistant", "user", "assistant"] },
} as const;

for (const [agent, { text, format, name, roles }] of Object.entries(FILES)) {
  test(`a session of ${agent} is the conversation that its model has, by the rules of its provider`, async ({ page }) => {
    const [session, ...others] = sessionsIn(text) ?? [];
    expect(others).toEqual([]);
    const messages = [...(session?.messages ?? session?.input ?? [])];
    expect(messages.map((each) => (each as { role?: string }).role)).toEqual(roles);
    expect(await validate(messages, format)).toEqual([]);
    expect(JSON.stringify(messages.at(-1))).toContain("Into bed 2.");

    const epitome = new EpitomePage(page);
    await epitome.open();
    await epitome.pick({ name: "session.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(text) });
    await epitome.isLoaded("session.jsonl");
    await expect(epitome.rows.last()).toContainText("Into bed 2.");
    expect(session?.id).toBe(name);
    expect(epitome.errors).toEqual([]);
  });
}

test("what only looks like a session is read as what it is", async ({ page }) => {
  expect(sessionsIn('{"parentUuid":1}')).toBeUndefined();
  expect(sessionsIn("[]")).toBeUndefined();
  expect(sessionsIn("\n")).toBeUndefined();
  const epitome = new EpitomePage(page);
  await epitome.open();
  await epitome.load([{ role: "user", content: 'What is "parentUuid"?' }, { role: "assistant", content: "A field." }]);
  await expect(epitome.rows).toHaveCount(2);
});
