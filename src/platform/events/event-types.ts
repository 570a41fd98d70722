import type { z } from "zod";

/** The description of a type of event. */
export interface EventType {
  /** A sentence that says when the event happens. */
  readonly description: string;
  /** The schema of the payload in its wire form. */
  readonly payload: z.ZodType;
  /** An example of a payload. Amounts are bigints. */
  readonly example: unknown;
  /** The scopes that whoever reads the events needs besides that of the module, because the payload holds data of other modules. */
  readonly scopes?: readonly `${string}:read`[];
}

/** The types of events that a module publishes, by their raw names: `COMMITTED_TRANSACTIONS`. */
export type EventTypeTable = Readonly<Record<string, EventType>>;
