import { boundLedgers, may } from "#console/api/florin.ts";

/** Whether the person may read who changed what. */
export const mayReadAudit = (): boolean => may("auth:read") && boundLedgers().length === 0;

export const mayChangeWebhooks = (): boolean =>
  may("webhooks:write") && boundLedgers().length === 0;

/** Whether the person may read the events of a type, and so may send them to an endpoint: `ledger.…` takes `ledger:read`. */
export const mayReadEvent = (type: string): boolean => {
  const [app = ""] = type.split(".");
  return app === "*" || [`${app}:read`, ...(FURTHER_SCOPES[app] ?? [])].every(may);
};

/** The scopes that events of a module need besides its own, because they hold data of other modules. */
const FURTHER_SCOPES: Readonly<Record<string, readonly string[]>> = {
  reconciliation: ["ledger:read", "payments:read"],
};
