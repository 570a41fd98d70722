import type { LaneStore } from "./lane-store.ts";
import type { LaneTimerPorts } from "./lane-timer.ts";
import type { ReadyQueuePorts } from "./ready-queue.ts";
import type { CallResult } from "#modules/webhooks/calls/call.ts";
import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import type { RetryPolicy } from "#modules/webhooks/core/retry.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** One call of the endpoint. */
export interface LaneCall {
  readonly deliveryId: string;
  readonly body: string;
  readonly idempotencyKey: string;
}

/** Makes one call. Never throws. */
export type SendCall = (call: LaneCall) => Promise<CallResult>;

/** What a lane needs of the world. */
export interface LanePorts extends LaneTimerPorts {
  /** Gives what calls the endpoint of a config, signed, and never throws. Throws itself where the config cannot be read. */
  readonly open: (spec: LaneSpec) => Promise<SendCall>;
  readonly readBodies: ReadyQueuePorts["readBodies"];
  /** The endpoint has failed for so long that its config ends. */
  readonly disable: (spec: LaneSpec) => Promise<void>;
}

export interface LaneParts {
  readonly sql: Sql;
  readonly store: LaneStore;
  readonly ports: LanePorts;
  readonly policy: LanePolicy;
}

export interface LanePolicy {
  readonly retries: RetryPolicy;
  /** How long an endpoint may fail before its config is deactivated, in milliseconds. */
  readonly disableAfterMs: number;
}
