import { fillPayments } from "./payments.ts";
import { ALL, filtersBy, type PaymentRead, readsOf } from "#bench/payments/reads.ts";
import { COUNT, createdAt, type ListWorld, uuidAt } from "#bench/payments/world.ts";
import { BOOKINGS_MAX } from "#modules/payments/bookings/booking.ts";
import { POOL_ACCOUNTS_MAX } from "#modules/payments/pools/pool.ts";
import { toMicros } from "#platform/time.ts";
import { at } from "#test/support/payments/provider-objects.ts";

/**
 * Reads of the most possible bookings, which have not begun, half of them for pools with the most possible accounts; and of the failures of
 * the first booking, whose ledger has refused all adjustments.
 */
export function bookingReads(world: ListWorld): PaymentRead[] {
  fillPayments(world);
  fillPools(world);
  fillBookings(world);
  return [
    ...readsOf(world, {
      name: "bookings",
      paths: ["/api/florin/v1/payments/bookings"],
      filters: [
        ALL,
        ...filtersBy("id", { few: uuidAt(0), none: "none" }),
        ...filtersBy("ledger", { many: "books", few: "other", none: "none" }),
        ...filtersBy("state", { many: "RUNNING", few: "PAUSED", none: "none" }),
      ],
      cursor: { list: "bookings", middle: { value: toMicros(at(BOOKINGS_MAX / 2)), tie: 0n } },
    }),
    ...readsOf(world, {
      name: "failures of a booking",
      paths: [`/api/florin/v1/payments/bookings/${uuidAt(0)}/failures`],
      filters: [ALL],
      cursor: {
        list: `bookings/${uuidAt(0)}/failures`,
        column: "id",
        middle: { value: BigInt(COUNT / 2) },
      },
    }),
  ];
}

const POOLS = BOOKINGS_MAX / 2;

function fillPools(world: ListWorld): void {
  world.insert("payment_pools", POOLS, (place) => ({
    id: uuidAt(place),
    name: `Pool ${place}`,
    type: "STATIC",
    created_at: createdAt(place),
    change_id: uuidAt(place),
  }));
  world.insert("payment_pool_accounts", POOLS * POOL_ACCOUNTS_MAX, (place) => ({
    pool_key: Math.floor(place / POOL_ACCOUNTS_MAX) + 1,
    connector_key: world.connector.key,
    account_reference: `acct_${place % 20_000}`,
  }));
}

function fillBookings(world: ListWorld): void {
  world.insert("payment_bookings", BOOKINGS_MAX, (place) => ({
    id: uuidAt(place),
    connector_key: place % 2 === 0 ? place / 2 + 1 : null,
    pool_id: place % 2 === 0 ? null : uuidAt((place - 1) / 2),
    ledger: place < 4 ? "other" : "books",
    schema_version: "v1",
    template: "booked",
    templates: "{}",
    state: place < 4 ? "PAUSED" : "RUNNING",
    run: 1,
    position: 0,
    booked: 0,
    failed: place === 0 ? COUNT : 0,
    attempts: 0,
    created_at: at(place),
    updated_at: at(place),
  }));
  world.insert("payment_booking_failures", COUNT, (place) => ({
    booking_key: 1,
    adjustment_key: place + 1,
    adjustment_id: `adjustment ${place}`,
    payment_id: `payment ${place}`,
    message: "the account has insufficient funds",
    details: null,
    created_at: createdAt(place),
  }));
}
