import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import {
  type Booking,
  pageParameters,
  PAYMENTS_KEY,
} from "#console/places/payments/common/queries.ts";
import type { components } from "#openapi";

type Schemas = components["schemas"];
export type BookingFailure = Schemas["PaymentBookingFailure"];
export type NewBookingRequest = Schemas["PaymentBookingRequest"];

/** Time between two reads of a booking that is shown, in milliseconds. */
const PROGRESS_MS = 5000;

/** The bookings that fit a filter, newest first. */
export const bookingsQuery = (filter: string | undefined) =>
  pages<Booking>([...PAYMENTS_KEY, "bookings", filter], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/payments/bookings",
      { query: pageParameters(cursor, filter) },
      { signal },
    ),
  );

const keyOf = (id: string) => [...PAYMENTS_KEY, "booking", id] as const;

export const bookingQuery = (id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    refetchInterval: PROGRESS_MS,
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/payments/bookings/{bookingID}",
          { path: { bookingID: id } },
          { signal },
        )
      ).data,
  });

/** The states of payments that the ledger has refused to book, in their order. */
export const bookingFailuresQuery = (id: string) =>
  pages<BookingFailure>([...keyOf(id), "failures"], (cursor, signal) =>
    florin.get(
      "/api/florin/v1/payments/bookings/{bookingID}/failures",
      { path: { bookingID: id }, query: cursor === undefined ? {} : { cursor } },
      { signal },
    ),
  );

/** Most pools that a menu offers. */
const MENU_MAX = 200;

/** The pools for menus and names, newest first. */
export const poolNamesQuery = () =>
  queryOptions({
    queryKey: [...PAYMENTS_KEY, "pools", "names"],
    queryFn: async ({ signal }) =>
      (await florin.get("/api/payments/v3/pools", { query: { pageSize: MENU_MAX } }, { signal }))
        .cursor.data,
  });
