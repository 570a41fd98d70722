import type { JsonText } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** An event, in the form that all modules publish. */
export interface PlatformEvent {
  /** The id, which a repeated publication of the event keeps, so that consumers drop repetitions. */
  readonly id: string;
  /** The publishing module: `ledger`. */
  readonly app: string;
  readonly version: string;
  /** The raw type: `COMMITTED_TRANSACTIONS`. */
  readonly type: string;
  readonly date: Timestamp;
  /** The idempotency key of the change; always empty in events of the ledger, because clients expect that. */
  readonly idempotencyKey: string;
  /** The payload in its wire form; integers may be `bigint`. */
  readonly payload: unknown;
  /** The length of the chain of triggers that led to the event; absent for none. Clients do not see the number. */
  readonly causationDepth?: number;
  /** What has caused the event (`platform/tracing/cause.ts`); absent where it is not known. Clients do not see it. */
  readonly cause?: string;
}

/** An event whose payload is already serialised. */
export interface WrittenEvent extends Omit<PlatformEvent, "payload"> {
  readonly payload: JsonText<unknown>;
}

/** The version of the envelope and of the payloads of all modules. */
export const EVENT_VERSION = "v2";

/** The name that webhooks subscribe to: `ledger.committed_transactions`. */
export const eventName = ({ app, type }: Pick<PlatformEvent, "app" | "type">): string =>
  (app === "" ? type : `${app}.${type}`).toLowerCase();
