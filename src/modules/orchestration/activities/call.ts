import type { ServiceContext } from "#platform/context.ts";
import type { Timestamp } from "#platform/time.ts";

/** The call of another module by an activity: who acts, for which instance, and with which idempotency key. */
export interface ActivityCall {
  readonly context: ServiceContext;
  readonly instanceId: string;
  /** When the instance was created. */
  readonly begunAt: Timestamp;
  readonly key: string;
}
