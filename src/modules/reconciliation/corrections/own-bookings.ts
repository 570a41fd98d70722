import { sql } from "drizzle-orm";
import { CORRECTION_KEY } from "./dry-run.ts";
import { reconciliationCorrections } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import { stringifyJson } from "#platform/json.ts";

const COMMITTED = "ledger.committed_transactions";

/**
 * The ids of the events that tell of nothing but bookings of corrections, on which no rule runs. The metadata of a transaction names its
 * correction, but anybody may write metadata: the correction itself has to know the transaction, or to be booked in that ledger at the moment.
 */
export async function ownBookings(
  { env }: Pick<ServiceContext, "env">,
  events: readonly PlatformEvent[],
): Promise<ReadonlySet<string>> {
  const named = events.flatMap((event) => {
    const transactions = transactionsOf(event);
    const all = transactions.map((of) => ({ event: event.id, ...of }));
    return transactions.length > 0 && all.every(({ correction }) => correction !== undefined)
      ? all
      : [];
  });
  if (named.length === 0) return new Set();
  const known = await databaseOf(env).all<{ place: number }>(sql`
    SELECT key AS place FROM json_each(${stringifyJson(named)}) AS named
    WHERE EXISTS (
      SELECT 1 FROM ${reconciliationCorrections} AS c
      WHERE c.id = named.value ->> 'correction' AND c.ledger = named.value ->> 'ledger'
        AND (c.transaction_id = named.value ->> 'id' OR (c.transaction_id IS NULL AND c.state = 'booking'))
    )`);
  const places = new Set(known.map(({ place }) => place));
  const strange = new Set(named.filter((_, place) => !places.has(place)).map(({ event }) => event));
  return new Set(named.map(({ event }) => event).filter((id) => !strange.has(id)));
}

interface NamedTransaction {
  readonly ledger: string;
  /** Decimal digits. */
  readonly id: string;
  readonly correction: string | undefined;
}

/** The transactions of an event with the corrections that they name; none for other events. */
function transactionsOf(event: PlatformEvent): readonly NamedTransaction[] {
  const { payload } = event;
  if (eventName(event) !== COMMITTED || typeof payload !== "object" || payload === null) return [];
  const { ledger, transactions } = payload as {
    readonly ledger?: unknown;
    readonly transactions?: unknown;
  }; // the members are checked here
  if (typeof ledger !== "string" || !Array.isArray(transactions)) return [];
  return (transactions as readonly TransactionPayload[]).map(({ id, metadata }) => ({
    ledger,
    id: String(id),
    correction: metadata?.[CORRECTION_KEY],
  }));
}

/** The part of a transaction in an event that is read here. */
interface TransactionPayload {
  readonly id: number | bigint;
  readonly metadata?: Readonly<Record<string, string>>;
}
