import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import { pageParameters, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

type Schemas = components["schemas"];
export type Payment = Schemas["Payment"];
export type PaymentState = NonNullable<Payment["adjustments"]>[number];
export type BookedTransaction = Schemas["Transaction"];

/** The payments that fit a filter, newest first. */
export const paymentsQuery = (filter: string | undefined) =>
  pages<Payment>([...PAYMENTS_KEY, "payments", filter], (cursor, signal) =>
    florin.get("/api/payments/v3/payments", { query: pageParameters(cursor, filter) }, { signal }),
  );

export const paymentQuery = (id: string) =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "payment", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/payments/v3/payments/{paymentID}",
          { path: { paymentID: id } },
          { signal },
        )
      ).data,
  });

/** Most bookings of a deployment. */
const BOOKINGS_MAX = 100;

/** The ledgers in which payments are booked. */
export const bookingLedgersQuery = () =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "booking-ledgers"],
    queryFn: async ({ signal }) => {
      const answer = await florin.get(
        "/api/florin/v1/payments/bookings",
        { query: { pageSize: BOOKINGS_MAX } },
        { signal },
      );
      return [...new Set(answer.cursor.data.map(({ ledger }) => ledger))];
    },
  });

/** The transactions of a ledger that book a payment, newest first. */
export const bookedQuery = (ledger: string, paymentId: string) =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "booked", ledger, paymentId],
    queryFn: async ({ signal }) => {
      const query = stringifyJson({ $match: { "metadata[payment]": paymentId } });
      const answer = await florin.get(
        "/api/ledger/v2/{ledger}/transactions",
        { path: { ledger }, query: { query, pageSize: BOOKINGS_MAX } },
        { signal },
      );
      return answer.cursor.data;
    },
  });
