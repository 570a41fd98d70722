import { and, asc, eq, lte, sql } from "drizzle-orm";
import { walletHoldExpiries as expiries } from "./tables.ts";
import { type Database } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

export type Expiry = typeof expiries.$inferSelect;
type ExpiryKey = Pick<Expiry, "ledger" | "holdId">;

const is = ({ ledger, holdId }: ExpiryKey) =>
  and(eq(expiries.ledger, ledger), eq(expiries.holdId, holdId));

/** Plans to look at a hold. Where several requests make the same hold, the earliest date holds. */
export async function planExpiry(db: Database, expiry: Omit<Expiry, "attempts">): Promise<void> {
  await db
    .insert(expiries)
    .values(expiry)
    .onConflictDoUpdate({
      target: [expiries.ledger, expiries.holdId],
      set: {
        dueAt: sql`min(${expiries.dueAt}, excluded.due_at)`,
        askedAt: sql`excluded.asked_at`,
      },
    });
}

/** The holds to look at, the most overdue first. */
export function listDue(db: Database, now: Timestamp, limit: number): Promise<Expiry[]> {
  return db
    .select()
    .from(expiries)
    .where(lte(expiries.dueAt, now))
    .orderBy(asc(expiries.dueAt))
    .limit(limit);
}

/** When the next hold is to be looked at. */
export async function nextDue(db: Database): Promise<Timestamp | undefined> {
  const [row] = await db
    .select({ dueAt: expiries.dueAt })
    .from(expiries)
    .orderBy(asc(expiries.dueAt))
    .limit(1);
  return row?.dueAt;
}

/** Looks at a hold later, unless a request has asked for it since. */
export async function postpone(
  db: Database,
  expiry: Expiry,
  { dueAt, attempts }: Pick<Expiry, "dueAt" | "attempts">,
): Promise<void> {
  await db.update(expiries).set({ dueAt, attempts }).where(isAsRead(expiry));
}

/** Looks at a hold no more, unless a request has asked for it since. */
export async function removeExpiry(db: Database, expiry: Expiry): Promise<void> {
  await db.delete(expiries).where(isAsRead(expiry));
}

/** Forgets a hold that was not made. */
export async function forgetExpiry(db: Database, key: ExpiryKey): Promise<void> {
  await db.delete(expiries).where(is(key));
}

const isAsRead = (expiry: Expiry) => and(is(expiry), eq(expiries.askedAt, expiry.askedAt));
