import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { fromMillis } from "#platform/time.ts";

/** A trigger without a row, whose owner may read payments. */
export const triggerOf = (fields: Partial<Trigger> = {}): Trigger => ({
  key: 1,
  id: "trigger",
  name: "",
  event: "SAVED_THING",
  workflowId: "workflow",
  vars: {},
  principal: {
    issuer: "test",
    subject: "someone",
    clientId: "",
    scopes: new Set(["orchestration:write", "payments:read"]),
    ledgers: [],
  },
  createdAt: fromMillis(1_750_000_000_000),
  ...fields,
});
