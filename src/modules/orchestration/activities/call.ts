import type { ServiceContext } from "#platform/context.ts";

/** The call of another module by an activity: who acts, for which instance, and with which idempotency key. */
export interface ActivityCall {
  readonly context: ServiceContext;
  readonly instanceId: string;
  readonly key: string;
}
