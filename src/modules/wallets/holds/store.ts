import { and, asc, eq, lte, sql } from "drizzle-orm";
import { walletHoldExpiries as expiries } from "./tables.ts";
import { type Database } from "#platform/db/database.ts";
import type { Timestamp } from "#platform/time.ts";

export type Expiry = typeof expiries.$inferSelect;
type ExpiryKey = Pick<Expiry, "ledger" | "holdId">;

const is = ({ ledger, holdId }: ExpiryKey) =>
  and(eq(expiries.ledger, ledger), eq(expiries.holdId, holdId));

/** Stores when to look at a hold. Where several requests create the same hold, the earliest time counts. */
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

/** The holds that are due, the longest overdue first. */
export function listDue(db: Database, now: Timestamp, limit: number): Promise<Expiry[]> {
  return db
    .select()
    .from(expiries)
    .where(lte(expiries.dueAt, now))
    .orderBy(asc(expiries.dueAt))
    .limit(limit);
}

export async function nextDue(db: Database): Promise<Timestamp | undefined> {
  const [row] = await db
    .select({ dueAt: expiries.dueAt })
    .from(expiries)
    .orderBy(asc(expiries.dueAt))
    .limit(1);
  return row?.dueAt;
}

/** Puts a hold off, unless a request has stored a time for it since it was read. */
export async function postpone(
  db: Database,
  expiry: Expiry,
  { dueAt, attempts }: Pick<Expiry, "dueAt" | "attempts">,
): Promise<void> {
  await db.update(expiries).set({ dueAt, attempts }).where(isAsRead(expiry));
}

/** Removes the time of a hold, unless a request has stored one since it was read. */
export async function removeExpiry(db: Database, expiry: Expiry): Promise<void> {
  await db.delete(expiries).where(isAsRead(expiry));
}

/** Removes the time of a hold that was not created. */
export async function forgetExpiry(db: Database, key: ExpiryKey): Promise<void> {
  await db.delete(expiries).where(is(key));
}

const isAsRead = (expiry: Expiry) => and(is(expiry), eq(expiries.askedAt, expiry.askedAt));
