// An agent that is asked in another format than its team. The team's messages are converted for it, and what it answers is
// converted for the team and kept as it is for the agent.

import { fieldsOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Compactor as Engine, Format, MessageMetadata } from "../glue/epitome.js";
import type { Issue } from "../glue/validation.js";
import { AgentView, type Team } from "./agent.js";
import type { Form } from "./forms.js";
import type { Originals, Seen } from "./originals.js";
import { isEqual } from "./same.js";
import { issuesOf, measured, type Validation } from "./validation.js";

/** How many appended answers back the call of a result is looked for. */
const MOST_ANSWERS = 64;

export class FormatAgent extends AgentView<object> {
  readonly #validation: Validation;
  readonly #team: Team<object>;
  /** The messages of the team. */
  readonly #messages: Originals<object>;
  /** The format of the team. */
  readonly #from: Format;
  /** True for the team's summarizer, which gets messages in the team's format. */
  readonly #isShared: boolean;
  /** What was converted last. */
  #last: { source: readonly Seen<object>[]; forms: number; messages: object[] } = { source: [], forms: 0, messages: [] };

  private constructor(validation: Validation, from: Format, isShared: boolean, ...view: ConstructorParameters<typeof AgentView<object>>) {
    super(...view);
    [this.#validation, this.#from, this.#isShared] = [validation, from, isShared];
    [, , , , this.#messages, , this.#team] = view;
  }

  /** The agent with these options, and with `own` among them, in a team of the format `from`. */
  static of<M extends object>(
    validation: Validation,
    from: Format,
    own: { countTokens?: unknown; summarize?: unknown },
    [module, calls, host, ...rest]: ConstructorParameters<typeof AgentView<M>>,
  ): AgentView<M> {
    const { countTokens, ...others } = host;
    const options = own.countTokens === undefined ? others : { ...others, countTokens };
    // The app's types of the two formats are known only where the agent is asked for.
    const view = [module, calls, options, ...rest] as unknown as ConstructorParameters<typeof AgentView<object>>;
    return new FormatAgent(validation, from, own.summarize === undefined, ...view) as unknown as AgentView<M>;
  }

  override append(messages: object | readonly object[], metadata: MessageMetadata = {}): string[] {
    this.calls.check();
    const given = fieldsOf(metadata, "metadata");
    const list = measured((Array.isArray(messages) ? messages : [messages]) as object[]);
    const issues = issuesOf(this.#validation, list, this.format);
    const unread = issues.find(({ code }) => code === "not-a-message");
    if (unread !== undefined) {
      throw epitomeError("invalid-message", `${unread.path}: ${unread.message}`);
    }
    const earlier = issues.some(isOrphan) ? this.#answered(list, given) : [];
    const all = [...earlier.flatMap((form) => form.messages), ...list];
    const converted = this.#validation.convertEach(all, this.format, this.#from);
    const known = earlier.flatMap((form) => form.ids);
    const count = all.length - list.length;
    const changed = converted.filter(([, origin]) => origin < count);
    if (changed.length !== known.length) {
      return this.#add(list, this.#validation.convertEach(list, this.format, this.#from), [], given);
    }
    return this.#add(all, converted, known, given);
  }

  protected override sent(engine: Engine): object[] {
    const source = this.originals.seen(engine);
    const last = this.#last;
    const isSame = last.forms === this.#team.forms.revision && source.length === last.source.length;
    if (!isSame || source.some(({ message }, index) => message !== last.source[index]?.message)) {
      const repairs = this.host.repair || engine.isCompacted();
      const messages = this.#adapted(source, repairs).map((message, index) => {
        const before = last.messages[index];
        return before !== undefined && isEqual(before, message) ? before : message;
      });
      this.#last = { source, forms: this.#team.forms.revision, messages };
    }
    return this.#last.messages;
  }

  protected override asked(engine: Engine): { format: Format; messages: object[] } {
    const asked = this.originals.asked(engine);
    return this.#isShared
      ? { format: this.#from, messages: asked.map(({ message }) => message) }
      : { format: this.format, messages: this.#adapted(asked, true) };
  }

  /** Messages of a view in the format of the agent, with what it has written itself wherever all of that is there. */
  #adapted(seen: readonly Seen<object>[], repairs: boolean): object[] {
    const own: object[] = [];
    const places: number[] = [];
    const isKept = (id: string, at: number): boolean => seen[at]?.isComposed === false && seen[at].of[0] === id;
    for (let at = 0; at < seen.length; at += 1) {
      const form = this.#formOf(seen[at]?.of[0]);
      if (form?.ids.every((id, index) => isKept(id, at + index)) === true) {
        places.push(at, form.ids.length, form.messages.length);
        own.push(...form.messages);
        at += form.ids.length - 1;
      }
    }
    const messages = seen.map(({ message }) => message);
    return this.#validation.adapt(messages, this.#from, this.format, own, Uint32Array.from(places), repairs) as object[];
  }

  /** What this agent has written in its format, of which a message is. */
  #formOf(id: string | undefined): Form | undefined {
    const form = id === undefined ? undefined : this.#team.forms.get(id);
    return form?.agent === this.name && form.format === this.format ? form : undefined;
  }

  /** What the agent has written before from the calls on that these messages have results of; nothing if it has not written them. */
  #answered(list: readonly object[], metadata: MessageMetadata): Form[] {
    const audience = JSON.stringify(metadata.audience);
    const found: Form[] = [];
    // Takes over what the team has now.
    this.calls.run(() => undefined);
    const { path } = this.originals;
    for (let at = path.length - 1; at >= 0 && found.length < MOST_ANSWERS; at -= 1) {
      const form = this.#formOf(path[at]?.id);
      if (form === undefined || form === found[0]) {
        continue;
      }
      if (form.ids.some((id) => JSON.stringify(this.metadata(id).audience) !== audience)) {
        break;
      }
      found.unshift(form);
      const all = [...found.flatMap(({ messages }) => messages), ...list];
      if (!issuesOf(this.#validation, all, this.format).some(isOrphan)) {
        return found;
      }
    }
    return [];
  }

  /** Gives the team converted messages, the first of which it has as these ids. Returns the ids of those that are new or changed. */
  #add(all: readonly object[], converted: readonly [object, number][], known: readonly string[], metadata: MessageMetadata): string[] {
    if (converted.length === known.length && converted.length === 0) {
      throw epitomeError("invalid-message", `messages: nothing of them can be written in the format of the team, ${this.#from}`);
    }
    const changed = known.flatMap((id, index): [string, object][] => {
      const [before, now] = [this.#messages.message(id), converted[index]?.[0] as object];
      const message = Object.hasOwn(before, "id") ? { ...now, id: Reflect.get(before, "id") as unknown } : now;
      return isEqual(before, message) ? [] : [[id, message]];
    });
    if (changed.length > 0 && metadata.audience !== undefined) {
      // An edit cannot make more of a message that is only for some agents, such as a call with its result.
      known.forEach((id) => this.#team.remove(id));
      return this.#add(all, converted, [], metadata);
    }
    changed.forEach(([id, message]) => this.#team.edit(id, message));
    const added = converted.slice(known.length).map(([message], index) => this.#named(message, index));
    const fresh = added.length === 0 ? [] : super.append(added, metadata);
    const ids = [...known, ...fresh];
    const origins = converted.map(([, origin]) => origin);
    for (let at = 0; at < ids.length; ) {
      const first = origins[at] as number;
      const end = origins.findIndex((origin, index) => index > at && origin !== first);
      const next = end === -1 ? ids.length : end;
      const messages = all.slice(first, origins[next]);
      this.#team.keep({ agent: this.name, format: this.format, ids: ids.slice(at, next), messages });
      at = next;
    }
    return [...changed.map(([id]) => id), ...fresh];
  }

  /** A new message with an id that no other message of the team has, if its format requires one. */
  #named(message: object, index: number): object {
    return this.#from === "ai-sdk-ui" ? { ...message, id: `${this.name}-${this.#messages.nextNumber + index}` } : message;
  }
}

function isOrphan({ code }: Issue): boolean {
  return code === "orphan-result";
}
