// The chat page: keeps its conversation inside the model's context window.

import { openAICompatible, type Report } from "epitome";
import type { ChatMessage } from "./answer.js";
import { archiveOf } from "./archive.js";
import { Conversation, type Observer } from "./conversation.js";
import { element, elementById } from "./element.js";
import { EXAMPLES } from "./examples.js";
import { Kept } from "./kept.js";
import { meterIn } from "./meter.js";
import { type Notice, noticeOf } from "./notice.js";
import { editSettings, endpointOf, loadSettings, storeSettings } from "./settings.js";
import { Transcript } from "./transcript.js";

const SYSTEM: ChatMessage = { role: "system", content: "You are a helpful assistant. Answer briefly." };

let settings = loadSettings();
const saved = elementById("saved", HTMLElement);
const kept = await Kept.open(
  {
    policy: { window: settings.window },
    // Each request creates a new summarizer, because the settings may have changed.
    summarize: (request, context) => openAICompatible(endpointOf(settings))(request, context),
  },
  (state) => {
    saved.textContent = state;
  },
);
const { compactor } = kept;
if (compactor.history().length === 0) {
  compactor.append(SYSTEM);
} else {
  compactor.setPolicy({ window: settings.window });
}

const meter = meterIn(elementById("meter", HTMLElement));
const transcript = new Transcript(elementById("log", HTMLElement));
const working = elementById("working", HTMLElement);
const composer = elementById("composer", HTMLFormElement);
const text = elementById("text", HTMLTextAreaElement);
const send = elementById("send", HTMLButtonElement);
const stop = elementById("stop", HTMLButtonElement);
const compact = elementById("compact", HTMLButtonElement);
const example = elementById("example", HTMLButtonElement);
let latest: Notice | undefined;
let examples = 0;

const observer: Observer = {
  sent: (message) => transcript.add(message),
  received: (text) => transcript.write(text),
  answered: (message) => transcript.finish(message),
  failed(message) {
    const again = element("button", { type: "button" }, "Try again");
    const alert = element("div", { class: "problem", role: "alert" }, element("p", {}, message), again);
    again.addEventListener("click", () => {
      if (conversation.activity === "nothing") {
        alert.remove();
        text.focus();
        void conversation.ask();
      }
    });
    transcript.insert(alert);
  },
  compacting(message) {
    working.textContent = message;
  },
  compacted(report) {
    showReport(report);
  },
  changed() {
    const { activity } = conversation;
    const busy = activity !== "nothing";
    if (activity !== "compacting") {
      working.textContent = busy ? "The model is answering …" : "";
    }
    // A hidden button loses the focus, so the text field gets it.
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
    void kept.save();
  },
};

const conversation = new Conversation(compactor, settings, observer);

function showReport(report: Report): void {
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
      return `The conversation could not be compacted: ${report.message}. It is unchanged.`;
    case "cancelled":
      return "The compaction was stopped. The conversation is unchanged.";
  }
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const message = text.value.trim();
  if (message === "" || conversation.activity !== "nothing") {
    return;
  }
  text.value = "";
  void conversation.send(message);
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
  const message = EXAMPLES[examples % EXAMPLES.length] ?? "";
  examples += 1;
  void conversation.send(message);
});

elementById("settings-open", HTMLButtonElement).addEventListener("click", async () => {
  const saved = await editSettings(elementById("settings", HTMLDialogElement), settings);
  if (saved !== undefined && conversation.activity === "nothing") {
    settings = saved;
    storeSettings(settings);
    conversation.settings = settings;
  }
});

archiveOf(compactor);
for (const message of compactor.history()) {
  if (message.role !== "system") {
    transcript.add(message);
  }
}
observer.changed();
