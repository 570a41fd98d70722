import type { JsonText } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** Something that happened, in the one form that all modules publish. */
export interface PlatformEvent {
  /** Equal whenever the same event is published again; consumers drop what they have seen. */
  readonly id: string;
  /** Module that it comes from, `ledger`. */
  readonly app: string;
  readonly version: string;
  /** Raw type, `COMMITTED_TRANSACTIONS`. */
  readonly type: string;
  readonly date: Timestamp;
  /** Empty in events of the ledger, as clients know them. */
  readonly idempotencyKey: string;
  /** Wire form of the payload; integers may be `bigint`. */
  readonly payload: unknown;
  /** How many triggers, one after the other, led to the event; absent for none. No client sees it. */
  readonly causationDepth?: number;
}

/** An event whose payload is written already. */
export interface WrittenEvent extends Omit<PlatformEvent, "payload"> {
  readonly payload: JsonText<unknown>;
}

/** What all modules write as the version of their events: that of the envelope and of its payloads. */
export const EVENT_VERSION = "v2";

/** The name that webhooks subscribe to: `ledger.committed_transactions`. */
export const eventName = ({ app, type }: Pick<PlatformEvent, "app" | "type">): string =>
  (app === "" ? type : `${app}.${type}`).toLowerCase();
