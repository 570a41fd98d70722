import { queryOptions } from "@tanstack/react-query";
import { boundLedgers, florin, may } from "#console/api/florin.ts";

/** A first step with a new deployment. */
export interface FirstStep {
  readonly id: "ledger" | "transaction" | "client" | "webhook";
  readonly path: string;
  /** Undefined while it is not known. */
  readonly isDone: boolean | undefined;
}

/** What there is already. */
interface Progress {
  readonly ledger: boolean;
  readonly transaction: boolean | undefined;
  readonly client: boolean | undefined;
  readonly webhook: boolean | undefined;
  readonly firstLedger: string | undefined;
}

/** The steps that the person may do. */
export function stepsOf({ firstLedger, ...progress }: Progress): readonly FirstStep[] {
  const script =
    firstLedger === undefined
      ? "/numscript"
      : `/numscript?ledger=${encodeURIComponent(firstLedger)}`;
  const all = [
    ["ledger", "/ledgers", "ledger:write"],
    ["transaction", script, "ledger:write"],
    ["client", "/access/clients", "auth:write"],
    ["webhook", "/developers/webhooks", "webhooks:write"],
  ] as const;
  return all
    .filter(([, , scope]) => mayDo(scope))
    .map(([id, path]) => ({ id, path, isDone: progress[id] }));
}

/** Whether a step is the person's. Clients and webhooks concern all ledgers, and are closed to who is bound to some. */
export const mayDo = (scope: string): boolean =>
  may(scope) && (scope === "ledger:write" || boundLedgers().length === 0);

/** Whether there is a client. */
export const clientsQuery = () =>
  queryOptions({
    queryKey: ["home", "has-client"],
    queryFn: async ({ signal }) => {
      const { data } = await florin.get("/api/auth/clients", {}, { signal });
      return data.length > 0;
    },
  });

/** Whether there is a webhook. */
export const webhooksQuery = () =>
  queryOptions({
    queryKey: ["home", "has-webhook"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get("/api/webhooks/configs", {}, { signal });
      return cursor.data.length > 0;
    },
  });

const STATE_KEY = "florin-first-steps";

/** Whether this browser has begun with an empty deployment, or does not want the steps. */
export function stateOf(): "begun" | "dismissed" | undefined {
  const stored = localStorage.getItem(STATE_KEY);
  return stored === "begun" || stored === "dismissed" ? stored : undefined;
}

export const keepState = (state: "begun" | "dismissed"): void =>
  localStorage.setItem(STATE_KEY, state);
