import type { orchestrationOccurrences } from "./tables.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A firing that has ended, with the instance that it has started, or with its error. */
export interface Occurrence {
  readonly key: number;
  readonly id: string;
  readonly triggerId: string;
  readonly date: Timestamp;
  /** The event that the trigger has fired for, with its envelope. */
  readonly event: OccurrenceEvent;
  readonly instance?: FlowInstance;
  readonly error?: string;
}

/** The event of an occurrence with its envelope, in the wire form. */
export interface OccurrenceEvent {
  readonly idempotency_key: string;
  readonly date: string;
  readonly app: string;
  readonly version: string;
  readonly type: string;
  readonly payload: unknown;
  /** Whether the payload is left out because it is too large to be stored. */
  readonly isTruncated?: true;
}

/** Reads the event of a row. The type of the JSON is known, because `eventText` has written it. */
export const eventOf = ({ event }: Pick<typeof orchestrationOccurrences.$inferSelect, "event">) =>
  parseJson(event) as OccurrenceEvent;
