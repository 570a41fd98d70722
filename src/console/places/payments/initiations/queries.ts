import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { pageParameters, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type Initiation = Schemas["PaymentInitiation"];
export type InitiationState = Schemas["PaymentInitiationAdjustment"];
export type NewInitiation = Schemas["PaymentInitiationRequest"];

/** Time between two reads of an initiation that is under way, and of one that waits, in milliseconds. */
const UNDER_WAY_MS = 1000;
const WAITING_MS = 10_000;

/** The time that the API shows where none is set. */
const NO_TIME = "0001-01-01T00:00:00Z";
export const hasTime = ({ scheduledAt }: Initiation): boolean => scheduledAt !== NO_TIME;

const pace = (status: Initiation["status"] | undefined): number =>
  status === "PROCESSING" || status === "REVERSE_PROCESSING" ? UNDER_WAY_MS : WAITING_MS;

const keyOf = (id: string) => [...PAYMENTS_KEY, "initiation", id] as const;

/** The initiations that fit a filter, newest first. */
export const initiationsQuery = (filter: string | undefined) =>
  pages<Initiation>([...PAYMENTS_KEY, "initiations", filter], (cursor, signal) =>
    florin.get(
      "/api/payments/v3/payment-initiations",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

export const initiationQuery = (id: string) =>
  queryOptions<Initiation>({
    queryKey: keyOf(id),
    refetchInterval: ({ state }) => pace(state.data?.status),
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/payment-initiations/{paymentInitiationID}",
          { path: { paymentInitiationID: id } },
          { signal },
        )
      ).data,
  });

/** The adjustments of an initiation, newest first. A new status makes them a new list. */
export const adjustmentsQuery = (id: string, status: Initiation["status"]) =>
  pages<InitiationState>([...keyOf(id), "adjustments", status], (cursor, signal) =>
    florin.get(
      "/api/payments/v3/payment-initiations/{paymentInitiationID}/adjustments",
      { path: { paymentInitiationID: id }, query: pageParameters(cursor, undefined) },
      { signal },
    ),
  );

/** The payments that were made for an initiation, newest first. */
export const madePaymentsQuery = (id: string, status: Initiation["status"]) =>
  pages<Schemas["Payment"]>([...keyOf(id), "payments", status], (cursor, signal) =>
    florin.get(
      "/api/payments/v3/payment-initiations/{paymentInitiationID}/payments",
      { path: { paymentInitiationID: id }, query: pageParameters(cursor, undefined) },
      { signal },
    ),
  );

/** The last known balance of an account in an asset; null if none is known. */
export const lastBalanceQuery = (accountId: string, asset: string) =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "account", accountId, "last-balance", asset],
    queryFn: async ({ signal }) => {
      const answer = await florin.get(
        "/api/payments/v3/accounts/{accountID}/balances",
        { path: { accountID: accountId }, query: { asset, pageSize: 1 } },
        { signal },
      );
      return answer.cursor.data[0] ?? null;
    },
  });
