// The page: a chat that keeps itself inside the model's window.

import { type Compactor, createCompactor, openAICompatible, type Report } from "epitome";
import type { ChatMessage } from "./answer.js";
import { Conversation, type Watcher } from "./conversation.js";
import { element, part } from "./element.js";
import { EXAMPLES } from "./example.js";
import { meterIn } from "./meter.js";
import { type Notice, noticeOf } from "./notice.js";
import { editSettings, endpointOf, loadSettings, storeSettings } from "./settings.js";
import { Transcript } from "./transcript.js";

const SYSTEM: ChatMessage = { role: "system", content: "You are a helpful assistant. Answer briefly." };

let settings = loadSettings();
const compactor: Compactor<ChatMessage> = await createCompactor({
  format: "openai-chat",
  policy: { window: settings.window },
  // Made anew each time, for the settings may have changed since.
  summarize: (request, context) => openAICompatible(endpointOf(settings))(request, context),
});
compactor.append(SYSTEM);

const meter = meterIn(part("meter", HTMLElement));
const transcript = new Transcript(part("log", HTMLElement));
const working = part("working", HTMLElement);
const composer = part("composer", HTMLFormElement);
const text = part("text", HTMLTextAreaElement);
const send = part("send", HTMLButtonElement);
const stop = part("stop", HTMLButtonElement);
const compact = part("compact", HTMLButtonElement);
const example = part("example", HTMLButtonElement);
let latest: Notice | undefined;
let examples = 0;

const watcher: Watcher = {
  said: (message) => transcript.add(message),
  heard: (piece) => transcript.write(piece),
  answered: (message) => transcript.finish(message),
  failed(words) {
    const again = element("button", { type: "button" }, "Try again");
    const alert = element("div", { class: "problem", role: "alert" }, element("p", {}, words), again);
    again.addEventListener("click", () => {
      if (conversation.activity === "nothing") {
        alert.remove();
        text.focus();
        void conversation.ask();
      }
    });
    transcript.insert(alert);
  },
  compacting(words) {
    working.textContent = words;
  },
  compacted(report) {
    tell(report);
  },
  changed() {
    const { activity } = conversation;
    const busy = activity !== "nothing";
    if (activity !== "compacting") {
      working.textContent = busy ? "The model answers …" : "";
    }
    // A button that vanishes takes the focus with it.
    const focused = document.activeElement === send || document.activeElement === stop;
    send.hidden = busy;
    stop.hidden = !busy;
    if (focused) {
      text.focus();
    }
    compact.disabled = busy;
    example.disabled = busy;
    for (const button of document.querySelectorAll<HTMLButtonElement>(".notice button")) {
      button.disabled = busy;
    }
    meter.show(conversation.status);
    transcript.mark(conversation.view);
  },
};

const conversation = new Conversation(compactor, settings, watcher);

function tell(report: Report): void {
  if (report.outcome === "applied") {
    latest?.supersede();
    latest = noticeOf(report, () => conversation.undo());
    transcript.insert(latest.element);
    return;
  }
  const role = report.outcome === "failed" ? "alert" : "note";
  transcript.insert(element("div", { class: "problem", role }, element("p", {}, explanationOf(report))));
}

function explanationOf(report: Exclude<Report, { outcome: "applied" }>): string {
  switch (report.outcome) {
    case "skipped":
      return `Nothing was compacted: ${report.message}.`;
    case "failed":
      return `The conversation could not be compacted: ${report.message}. It is as it was.`;
    case "cancelled":
      return "The compaction was stopped. The conversation is as it was.";
  }
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const said = text.value.trim();
  if (said === "" || conversation.activity !== "nothing") {
    return;
  }
  text.value = "";
  void conversation.send(said);
});

text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    composer.requestSubmit();
  }
});

stop.addEventListener("click", () => conversation.stop());
compact.addEventListener("click", () => void conversation.compact("manual"));
example.addEventListener("click", () => {
  const said = EXAMPLES[examples % EXAMPLES.length] ?? "";
  examples += 1;
  void conversation.send(said);
});

part("settings-open", HTMLButtonElement).addEventListener("click", async () => {
  const saved = await editSettings(part("settings", HTMLDialogElement), settings);
  if (saved !== undefined && conversation.activity === "nothing") {
    settings = saved;
    storeSettings(settings);
    conversation.settings = settings;
  }
});

watcher.changed();
