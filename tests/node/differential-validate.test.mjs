// `validate` against the independent checks of each format: of messages that chance has damaged, both accept the same.
// `EPITOME_DIFFERENTIAL` sets how many of each format (default 2,000), and `EPITOME_RANDOM_SEED` the first one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "epitome";
import { checks } from "../out/conformance/index.js";
import { damaged } from "./damaged.mjs";
import { generator } from "./random.mjs";

const USUAL = 2_000;
const COUNT = Number(process.env.EPITOME_DIFFERENTIAL ?? USUAL);
const FIRST_SEED = Number(process.env.EPITOME_RANDOM_SEED ?? 1);

const NEWER = "types, parts and fields that are not known are kept: providers add them, and other servers have their own";
const NAMES = "names of tools are not checked: the provider compares them with the tools of the request, which are not there";
const SHAPED = "inside of a part of a known type, fields are not checked: they go back to the provider from which they came";

/**
 * Where the two are meant to disagree: in which formats, what the independent check says, and why `validate` accepts the
 * messages all the same. `rare` marks what the usual number of conversations does not meet.
 */
const ACCEPTED = [
  { formats: "openai-chat openai-responses anthropic langchain", says: /is not of a kind that the SDK knows/, because: NEWER },
  { formats: "gemini", says: /is about \d things and not about one|the SDK does not send all/, because: NEWER },
  { formats: "bedrock", says: /is not one thing that the SDK knows|the SDK does not send all/, because: NEWER },
  { formats: "ai-sdk-ui", says: /the AI SDK refuses: (\[|Type validation)/, because: NEWER },
  { formats: "ai-sdk-model", says: /is not a ModelMessage/, because: NEWER },
  { formats: "openai-chat openai-responses anthropic langchain", says: /\.name is invalid/, because: NAMES },
  { formats: "bedrock", says: /\.toolUse is invalid/, because: NAMES },
  { formats: "gemini", says: /\.functionCall is invalid/, because: NAMES },
  {
    formats: "openai-chat openai-responses anthropic gemini langchain bedrock",
    says: /\.(image_url|content|text|annotations|detail|summary|id|source|thinking|signature|encrypted_content|inlineData|image|reasoningContent) is invalid/,
    because: SHAPED,
  },
  { formats: "ai-sdk-ui", says: /Invalid URL/, because: SHAPED },
  { formats: "langchain", says: /is not read back|LangChain does not convert them/, because: `${SHAPED}; LangChain has several forms for each` },
  { formats: "langchain", says: /content is an empty list|neither content nor tool calls/, because: "LangChain leaves out what it does not know" },
  { formats: "langchain", says: /arguments that are not an object/, because: "LangChain also stores arguments as a text of JSON, which is read" },
  { formats: "openai-chat", says: /tool_calls is not a list of at least one/, because: "compatible servers send an empty list and accept it" },
  {
    formats: "openai-chat",
    says: /comes before the answer|which no message right before it calls/,
    only: (messages) => messages.some((message) => message?.role === "function"),
    because: "a result may have the role `function` of older versions",
  },
  { formats: "openai-responses", says: /which nothing before it calls/, because: "an item answers the call of its id, whatever kinds the two have" },
  { formats: "openai-chat", says: /content is an empty list/, rare: true, because: "an empty system message is kept, whatever its form" },
  { formats: "openai-responses", says: /is reasoning without the item/, rare: true, because: "an item of a type that is not known counts as its answer" },
  { formats: "openai-responses", says: /id does not begin with/, because: "an empty id, or one that is no text, is as none" },
  { formats: "anthropic", says: /may not come from/, because: "images of the model are kept: no model sends any, and the provider names them" },
  { formats: "anthropic", says: /has a blank text in it/, only: hasTextlessText, because: SHAPED },
  {
    formats: "anthropic",
    says: /ends with thinking/,
    only: (messages) => messages.some((message, index) => message?.role === "assistant" && messages[index + 1]?.role === "assistant"),
    rare: true,
    because: "the provider joins neighbours of one role, and an answer follows",
  },
  {
    formats: "langchain",
    says: /which no message right before it calls/,
    only: (messages) => /HumanMessage|SystemMessage/.test(JSON.stringify(messages.filter((message) => message?.kwargs?.tool_calls))),
    rare: true,
    because: "calls are read from messages of any class",
  },
  { formats: "gemini", says: /\d responses? to \d calls/, only: (messages) => /"functionCall":[^{]/.test(JSON.stringify(messages)), rare: true, because: SHAPED },
  { formats: "gemini", says: /answers other calls than were made/, because: "responses without ids are compared by name, in any order" },
  {
    formats: "ai-sdk-model ai-sdk-ui",
    says: /Tool result is missing|has no result of the call/,
    only: (messages) => /tool-approval-request|approval-requested/.test(JSON.stringify(messages)),
    because: "a call that waits for an approval has no result until the app goes on with the response",
  },
  { formats: "ai-sdk-model", says: /asks for approval of a call that is not next to it/, because: "requests for approval are not compared with calls" },
  { formats: "ai-sdk-model ai-sdk-ui", says: /is nothing but reasoning/, because: "an answer follows, and providers join the two" },
  { formats: "ai-sdk-model ai-sdk-ui", says: /prompt\[\d+\] is empty/, because: "providers of the SDK leave out what is empty in a prompt" },
  { formats: "ai-sdk-model ai-sdk-ui", says: /is a blank text/, because: "the SDK leaves blank texts out for providers that refuse them" },
];

/** The same for what `validate` refuses, with its code. */
const REFUSED = [
  { formats: "openai-responses", code: "broken-arguments", because: "other servers of this format read the arguments" },
  { formats: "ai-sdk-ui", code: "missing-call-id", because: "the SDK does not compare calls with results inside of one part" },
  { formats: "ai-sdk-ui", code: "missing-arguments", because: "some versions of the SDK refuse a call without input" },
  { formats: "gemini", code: "same-role-twice", because: "not every server of this format joins neighbours" },
  { formats: "gemini", code: "reasoning-alone", because: "an empty text with a signature says nothing" },
  { formats: "gemini", code: "blank-text", because: "not every server of this format accepts empty texts" },
  { formats: "gemini", code: "blank-message", because: "not every server of this format accepts empty texts" },
  { formats: "langchain", code: "not-a-message", because: "LangChain reads a text as a message, but an app has objects" },
  { formats: "langchain", code: "nothing-said", because: "LangChain reads a text as a message, but an app has objects" },
  { formats: "bedrock", code: "blank-message", rare: true, because: "a mark for the cache says nothing" },
  { formats: "bedrock", code: "unsigned-reasoning", because: "some models refuse an empty signature" },
];

/** What only some servers refuse, by the codes with which `validate` says so. */
const DEPENDS = {
  "not-user-first": /is first and not from the user|comes behind no user/,
  "system-inside": /System messages are not allowed|role is system|is first and not from the user|has no content/,
  "refused-id": /id does not begin with/,
};

/** True if something inside is a part of type `text` whose text is none. */
function hasTextlessText(value) {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return (value.type === "text" && typeof value.text !== "string") || Object.values(value).some(hasTextlessText);
}

const of = (classes, format) => classes.filter(({ formats }) => formats.split(" ").includes(format));

/** The disagreements that were met. */
const met = new Set();

for (const format of Object.keys(checks)) {
  test(`${format}: validate accepts what the independent check accepts, and refuses what it refuses`, async (context) => {
    const [accepted, refused] = [of(ACCEPTED, format), of(REFUSED, format)];
    const counts = { accepted: 0, refused: 0, meant: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) {
      const messages = damaged(format, generator(seed));
      const where = () => `seed ${seed}: ${JSON.stringify(messages).slice(0, 2_000)}`;
      const reasons = await checks[format](messages);
      const issues = await validate(messages, format, { strict: true });
      const certain = issues.filter(({ severity }) => severity === "refused");
      if (reasons.length === 0 && certain.length > 0) {
        // What `validate` is sure about is refused at least by the strictest servers.
        if ((await checks[format](messages, { strict: true })).length > 0) {
          counts.refused += 1;
          continue;
        }
        for (const { code, message } of certain) {
          const known = refused.find((one) => one.code === code);
          assert.ok(known !== undefined, `only validate refuses: ${code}, ${message}; ${where()}`);
          met.add(known);
        }
        counts.meant += 1;
      } else if (reasons.length > 0 && certain.length === 0) {
        const said = issues.map(({ code }) => DEPENDS[code]).filter((pattern) => pattern !== undefined);
        const left = reasons.filter((reason) => !said.some((pattern) => pattern.test(reason)));
        for (const reason of left) {
          const known = accepted.find(({ says, only }) => says.test(reason) && (only?.(messages) ?? true));
          assert.ok(known !== undefined, `only the independent check refuses: ${reason}; ${where()}`);
          met.add(known);
        }
        counts[left.length > 0 ? "meant" : "refused"] += 1;
      } else {
        counts[reasons.length > 0 ? "refused" : "accepted"] += 1;
      }
    }
    assert.ok(counts.accepted > COUNT / 10 && counts.refused > COUNT / 10, JSON.stringify(counts));
    context.diagnostic(JSON.stringify(counts));
  });
}

test("every disagreement between validate and the independent checks that is listed is met", (context) => {
  if (FIRST_SEED !== 1 || COUNT < USUAL) {
    context.skip("needs the usual seeds");
    return;
  }
  assert.deepEqual([...ACCEPTED, ...REFUSED].filter((one) => !met.has(one) && one.rare !== true), []);
});
