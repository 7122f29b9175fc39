// The view of one agent of a team, over the messages that its team has.

import { fieldsOf } from "../arguments.js";
import { AgentCalls, type Calls } from "./calls.js";
import type { Compactor as Engine, MessageMetadata } from "../glue/epitome.js";
import type { Engine as Module } from "../wasm/instances.js";
import type { Agent, Compactor } from "./compactor.js";
import type { Host } from "./options.js";
import { Originals } from "./originals.js";
import { ConversationView, type ViewSources } from "./view.js";
import type { Form, Forms } from "./forms.js";

/** What an agent does to the conversation of its team. */
export interface Team<M extends object> extends Pick<Compactor<M>, "append" | "edit" | "remove"> {
  readonly forms: Forms;
  /** Keeps what an agent has written in a format of its own. */
  keep(form: Form): void;
}

export class AgentView<M extends object> extends ConversationView<M> implements Agent<M> {
  readonly name: string;
  readonly #team: Team<M>;

  constructor(
    module: Module,
    calls: Calls,
    host: Host<M> & { agent: string },
    sources: ViewSources,
    messages: Originals<M>,
    commit: (() => Promise<void>) | undefined,
    team: Team<M>,
  ) {
    const own = new Originals<M>([], [], [], 0, host.repair);
    const read = reader(messages, own, () => {
      this.revision += 1;
    });
    super(module, new AgentCalls(calls, host.agent, read), host, sources, own, commit, { agent: host.agent });
    this.name = host.agent;
    this.#team = team;
  }

  append(messages: M | readonly M[], metadata: MessageMetadata = {}): string[] {
    this.calls.check();
    const given = fieldsOf(metadata, "metadata");
    return this.#team.append(messages, { ...given, author: given.author ?? this.name });
  }

  protected override checkReadable(): void {
    // Any call takes over the messages that there are now.
    this.calls.run(() => undefined);
  }
}

/** A function that takes over from the team which messages an agent has now. It runs at the beginning of each call, and calls
 * `changed` if they are others. */
function reader<M extends object>(team: Originals<M>, own: Originals<M>, changed: () => void): (engine: Engine) => void {
  let [revision, changes, length] = [-1, 0, 0];
  return (engine) => {
    own.forgetList();
    if (revision === engine.revision()) {
      return;
    }
    revision = engine.revision();
    const from = Math.min(engine.changedSince(changes) ?? length, length);
    own.followTeam(team, engine.idBefore(from), engine.idsFrom(from));
    [changes, length] = [engine.changes(), engine.messageCount()];
    changed();
  };
}
