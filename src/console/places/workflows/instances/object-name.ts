import { queryOptions, useQuery } from "@tanstack/react-query";
import type { LinkedObject } from "./spans.ts";
import { florin, may } from "#console/api/florin.ts";
import { ORCHESTRATION_KEY } from "#console/places/workflows/queries.ts";

/** Time for which the name of an object counts as current, in milliseconds. */
const NAMES_CURRENT_MS = 60_000;

/** The name of a wallet, or the reference of a payment or of an order; undefined before it is known, and where the reader may not know it. */
export function useObjectName({ kind, id }: LinkedObject): string | undefined {
  const isReadable = kind !== "transaction" && may(SCOPES[kind]);
  return useQuery({ ...nameQuery(kind, id), enabled: isReadable }).data;
}

const SCOPES = {
  wallet: "wallets:read",
  payment: "payments:read",
  initiation: "payments:read",
} as const;

const nameQuery = (kind: LinkedObject["kind"], id: string) =>
  queryOptions({
    queryKey: [...ORCHESTRATION_KEY, "name-of", kind, id],
    queryFn: ({ signal }) => READS[kind](id, signal),
    staleTime: NAMES_CURRENT_MS,
  });

const READS: Record<LinkedObject["kind"], (id: string, signal: AbortSignal) => Promise<string>> = {
  transaction: (id) => Promise.resolve(id),
  wallet: async (id, signal) =>
    (await florin.get("/api/wallets/wallets/{walletID}", { path: { walletID: id } }, { signal }))
      .data.name,
  payment: async (paymentID, signal) =>
    (await florin.get("/api/payments/v3/payments/{paymentID}", { path: { paymentID } }, { signal }))
      .data.reference,
  initiation: async (paymentInitiationID, signal) =>
    (
      await florin.get(
        "/api/payments/v3/payment-initiations/{paymentInitiationID}",
        { path: { paymentInitiationID } },
        { signal },
      )
    ).data.reference,
};
