import type { z } from "zod";

/** What one type of event says. */
export interface EventType {
  /** When it happens, in a sentence. */
  readonly description: string;
  /** The schema of its payload, in the wire form. */
  readonly payload: z.ZodType;
  /** A payload. Amounts are bigints. */
  readonly example: unknown;
}

/** The types of events that a module publishes, by their raw names: `COMMITTED_TRANSACTIONS`. */
export type EventTypeTable = Readonly<Record<string, EventType>>;
