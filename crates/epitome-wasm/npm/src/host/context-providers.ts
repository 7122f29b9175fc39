// The usual context of a request, in the order in which models read it best.

import { fieldsOf } from "../arguments.js";
import type { ContextProvider, Provided } from "./turn.js";

/** The parts of the usual context. Each is a text, messages, or a function that makes them for each request. */
export interface ContextParts<M extends object> {
  /** Who the user is, such as tenant and user. */
  identity?: Provided<M> | ContextProvider<M>;
  /** The date. */
  date?: Provided<M> | ContextProvider<M>;
  /** A summary or an index of what is remembered. */
  memory?: Provided<M> | ContextProvider<M>;
  /** A summary or an index of a knowledge base. */
  knowledge?: Provided<M> | ContextProvider<M>;
  /** The skills that the model can use. */
  skills?: Provided<M> | ContextProvider<M>;
  /** The present state of the workspace. */
  workspace?: Provided<M> | ContextProvider<M>;
}

type Part = keyof ContextParts<object>;

/** The parts in the order of their messages. It is an object because the compiler then finds a part that is missing. */
const ORDERED = { identity: true, date: true, memory: true, knowledge: true, skills: true, workspace: true } satisfies Record<Part, true>;

/** Providers for the usual context, in the order in which models read it best: who and when first, the workspace last, since it
 * changes most often. */
export function contextProviders<M extends object>(parts: ContextParts<NoInfer<M>>): ContextProvider<M>[] {
  const given = fieldsOf(parts, "parts");
  return (Object.keys(ORDERED) as Part[]).flatMap((name) => {
    const part = given[name];
    if (part === undefined) {
      return [];
    }
    return [typeof part === "function" ? (part as ContextProvider<M>) : (): Provided<M> => part];
  });
}
