import type { orchestrationOccurrences } from "./tables.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A firing that has ended: an instance was started, or why none was. */
export interface Occurrence {
  readonly key: number;
  readonly id: string;
  readonly triggerId: string;
  readonly date: Timestamp;
  /** The event with its envelope. */
  readonly event: OccurrenceEvent;
  readonly instance?: FlowInstance;
  readonly error?: string;
}

/** An event as an occurrence has it, in the wire form. */
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

/** The row has what `storeOccurrences` has written, so that the type of its JSON is known. */
export const eventOf = ({ event }: Pick<typeof orchestrationOccurrences.$inferSelect, "event">) =>
  parseJson(event) as OccurrenceEvent;
