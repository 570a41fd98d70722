import { accountReads } from "./accounts.ts";
import { bookingReads } from "./bookings.ts";
import { connectorReads } from "./connectors.ts";
import { initiationReads } from "./initiations.ts";
import { ownerReads } from "./owners.ts";
import { paymentReads } from "./payments.ts";
import { poolReads } from "./pools.ts";
import { tradeReads } from "./trades.ts";
import type { PaymentRead } from "#bench/payments/reads.ts";
import type { ListWorld } from "#bench/payments/world.ts";

/** The groups of reads. A group fills tables of an empty world, and returns the reads of these tables. */
export const LIST_GROUPS: Readonly<Record<string, (world: ListWorld) => readonly PaymentRead[]>> = {
  accounts: accountReads,
  payments: paymentReads,
  initiations: initiationReads,
  owners: ownerReads,
  pools: poolReads,
  trades: tradeReads,
  connectors: connectorReads,
  bookings: bookingReads,
};
