// The chat page: keeps its conversation inside the model's context window.

import { openAICompatible, type Report } from "epitome";
import type { ChatMessage } from "./answer.js";
import { archiveOf, download } from "./archive.js";
import { Conversation, type Observer } from "./conversation.js";
import { damageOf } from "./damage.js";
import { element, elementById } from "./element.js";
import { EXAMPLES } from "./examples.js";
import { endOf, idOfAddress, Kept, type SaveState } from "./kept.js";
import { meterIn } from "./meter.js";
import { type Notice, noticeOf } from "./notice.js";
import { recalledOf } from "./recalled.js";
import { editSettings, endpointOf, loadSettings, storeSettings } from "./settings.js";
import { Transcript } from "./transcript.js";

const SYSTEM: ChatMessage = { role: "system", content: "You are a helpful assistant. Answer briefly." };

let settings = loadSettings();
const saved = elementById("saved", HTMLElement);
const rescue = elementById("rescue", HTMLButtonElement);
const follows = elementById("follows", HTMLElement);
const transcript = new Transcript(elementById("log", HTMLElement));
const id = idOfAddress();
let isOpen = false;
void endOf(id).then((end) => (isOpen || end === undefined ? undefined : transcript.show(end)));
const kept = await Kept.open(
  id,
  {
    policy: { window: settings.window },
    // Each request creates a new summarizer, because the settings may have changed.
    summarize: (request, context) => openAICompatible(endpointOf(settings))(request, context),
  },
  { saved: showSaved, changed: () => changedElsewhere() },
);
isOpen = true;
const { compactor } = kept;
beginToWrite();

const meter = meterIn(elementById("meter", HTMLElement));
const working = elementById("working", HTMLElement);
const composer = elementById("composer", HTMLFormElement);
const text = elementById("text", HTMLTextAreaElement);
const send = elementById("send", HTMLButtonElement);
const stop = elementById("stop", HTMLButtonElement);
const compact = elementById("compact", HTMLButtonElement);
const example = elementById("example", HTMLButtonElement);
const showDamage = damageOf(kept);
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
  recalled(returned) {
    transcript.insert(recalledOf(returned));
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
    const isReader = kept.role() === "follower";
    follows.hidden = !isReader;
    composer.hidden = isReader;
    for (const button of [compact, example, ...document.querySelectorAll<HTMLButtonElement>(".notice button")]) {
      button.disabled = busy || isReader;
    }
    meter.show(conversation.status);
    transcript.mark(conversation.view);
    void kept.save();
  },
};

const conversation = new Conversation(compactor, settings, observer);

function showSaved(state: SaveState): void {
  const words = { saved: "Saved", saving: "Saving …", follower: "Another tab saves it" };
  saved.textContent = state.kind === "unsaved" ? `Not saved: ${state.problem}` : words[state.kind];
  rescue.hidden = state.kind !== "unsaved";
}

/** The tab that writes begins a new conversation, and sets its window. */
function beginToWrite(): void {
  if (kept.role() !== "writer") {
    return;
  }
  if (compactor.history().length === 0) {
    compactor.append(SYSTEM);
  } else {
    compactor.setPolicy({ window: settings.window });
  }
}

/** Another tab has written, or this one may do so from now on. What a stale tab has stays as it is: it is nowhere else. */
function changedElsewhere(): void {
  if (kept.role() !== "stale") {
    beginToWrite();
    transcript.show(compactor.history());
  }
  void showDamage();
  observer.changed();
}

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
    if (kept.role() !== "follower") {
      conversation.settings = settings;
    }
  }
});

rescue.addEventListener("click", () => void download(kept));
elementById("take-over", HTMLButtonElement).addEventListener("click", () => void kept.takeOver());

archiveOf(kept, (message) => conversation.restore(message));
transcript.show(compactor.history());
void showDamage();
observer.changed();
