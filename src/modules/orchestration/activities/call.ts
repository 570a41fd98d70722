import type { ServiceContext } from "#platform/context.ts";

/** An activity's call of another module: for whom, and with which idempotency key. */
export interface ActivityCall {
  readonly context: ServiceContext;
  readonly instanceId: string;
  readonly key: string;
}
