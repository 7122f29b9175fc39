// The Lab, which the page fetches when its dialog is opened for the first time.

import "./lab.css";
import type { LabInput } from "./conversation.js";
import { Desk } from "./desk.js";

/** What the page hands over each time the dialog is opened. */
export interface Opened extends Omit<LabInput, "policy"> {
  /** The policy that is set on the page, as JSON. */
  policy: string;
}

/** A desk, and what it was opened with. */
interface Open {
  desk: Desk;
  opened: Opened;
  /** How many messages there were then. */
  length: number;
}

let open: Open | undefined;

/** Shows the Lab in an element of a dialog. The results of the last time stay if conversation and policy are the same. */
export function show(place: HTMLElement, opened: Opened): void {
  const { messages, policy } = opened;
  if (open !== undefined && open.opened.messages === messages && open.length === messages.length && open.opened.policy === policy) {
    return;
  }
  if (open === undefined) {
    place.closest("dialog")?.addEventListener("close", () => open?.desk.stop());
  }
  open?.desk.dispose();
  open = { desk: new Desk(place, { ...opened, policy: JSON.parse(policy) }), opened, length: messages.length };
}
