import { boundLedgers, may } from "#console/api/florin.ts";

/** Whether the person may read who changed what. */
export const mayReadAudit = (): boolean => may("auth:read") && boundLedgers().length === 0;

export const mayChangeWebhooks = (): boolean =>
  may("webhooks:write") && boundLedgers().length === 0;

/** Whether the person may read the events of a type, and so may send them to an endpoint: `ledger.…` takes `ledger:read`. */
export const mayReadEvent = (type: string): boolean => {
  const [app = ""] = type.split(".");
  return app === "*" || may(`${app}:read`);
};
