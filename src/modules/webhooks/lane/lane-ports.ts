import type { LaneStore } from "./lane-store.ts";
import type { LaneTimerPorts } from "./lane-timer.ts";
import type { ReadyQueuePorts } from "./ready-queue.ts";
import type { CallResult } from "#modules/webhooks/calls/call.ts";
import type { LaneSpec } from "#modules/webhooks/core/lane.ts";
import type { RetryPolicy } from "#modules/webhooks/core/retry.ts";
import type { Sql } from "#platform/sql/sql.ts";

export interface LaneCall {
  readonly deliveryId: string;
  readonly body: string;
  readonly idempotencyKey: string;
  /** What has caused the event; null where it is not known. */
  readonly cause: string | null;
}

/** Calls the endpoint. `held` for a call that was not begun, because the deployment is disarmed. Never throws. */
export type SendCall = (call: LaneCall) => Promise<CallResult | "held">;

/** The effects of a lane; tests replace them. */
export interface LanePorts extends LaneTimerPorts {
  /** Returns the function that makes signed calls of a config's endpoint. Throws if the config cannot be read. */
  readonly open: (spec: LaneSpec) => Promise<SendCall>;
  readonly readBodies: ReadyQueuePorts["readBodies"];
  /** Deactivates the config, because its endpoint has failed for too long. */
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
