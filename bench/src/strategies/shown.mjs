// What LangChain's prompt for a summary shows.

const ROLES = { Human: "user", AI: "assistant", Tool: "tool", System: "system" };

/** The messages that a prompt shows, by the speakers at the beginning of lines. */
export function shownIn(prompt) {
  return prompt
    .split(/^(?=(?:Human|AI|Tool|System): )/m)
    .filter((text) => text.trim() !== "")
    .map((text) => {
      const [, speaker, content] = /^(\w+): ([\s\S]*)$/.exec(text) ?? [undefined, "Human", text];
      return { role: ROLES[speaker] ?? "user", content: content.trimEnd() };
    });
}
