import { findHold, readHold } from "./get.ts";
import {
  type Expiry,
  forgetExpiry,
  listDue,
  nextDue,
  planExpiry,
  postpone,
  removeExpiry,
} from "./store.ts";
import { voidIn } from "./void.ts";
import type { Hold, HoldState } from "#modules/wallets/core/hold.ts";
import { isKind, WalletLedger } from "#modules/wallets/ledger.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** The sweep that voids holds that have expired. */
export const HOLDS_SWEEP = "wallet-holds";

interface ExpiringHold {
  readonly ledger: WalletLedger;
  readonly hold: Hold;
  /** Whether the request has an idempotency key, so that a repetition may find that the hold exists. */
  readonly isKeyed: boolean;
}

/**
 * Creates a hold with `make`, and has it voided when it expires: the time is stored before the hold is created. Returns the result of
 * `make`. Throws `VALIDATION` for a hold that expires before it is created.
 */
export async function withExpiry<T>(
  context: ServiceContext,
  { ledger, hold, isKeyed }: ExpiringHold,
  make: () => Promise<T>,
): Promise<T> {
  const { expiresAt } = hold;
  if (expiresAt === undefined) return make();
  const now = context.clock();
  if (expiresAt <= now && !(isKeyed && (await findHold(ledger, hold.id)) !== undefined)) {
    throw new AppError("VALIDATION", "expiresAt has passed");
  }
  const db = databaseOf(context.env);
  const key = { ledger: ledger.name, holdId: hold.id };
  await planExpiry(db, { ...key, dueAt: expiresAt, askedAt: now });
  await armClock(context.env, HOLDS_SWEEP, toMillis(expiresAt));
  try {
    return await make();
  } catch (error) {
    // The id of a hold without a key is new, so that no other request creates the same hold.
    if (!isKeyed && isRefusal(error)) await forgetExpiry(db, key);
    throw error;
  }
}

/** Whether an error says that the ledger has not created the hold. */
const isRefusal = (error: unknown): boolean =>
  isKind(error, "INSUFFICIENT_FUND") || isKind(error, "VALIDATION") || isKind(error, "CONFLICT");

/** Reads a hold. A hold that has expired without being voided by the sweep is voided first. Throws `NOT_FOUND`. */
export async function readUnexpired(
  { clock }: ServiceContext,
  { ledger, holdId }: { readonly ledger: WalletLedger; readonly holdId: string },
): Promise<HoldState> {
  const hold = await readHold(ledger, holdId);
  if (!isOverdue(hold, clock())) return hold;
  await voidOnce(ledger, holdId);
  return readHold(ledger, holdId);
}

const isOverdue = ({ expiresAt, remaining }: HoldState, now: Timestamp): boolean =>
  expiresAt !== undefined && expiresAt <= now && remaining > 0n;

/** Voids a hold, unless another request closes it at the same time. */
async function voidOnce(ledger: WalletLedger, holdId: string): Promise<void> {
  try {
    await voidIn(ledger, { holdId, idempotencyKey: undefined });
  } catch (error) {
    if (!isKind(error, "HOLD_CLOSED")) throw error;
  }
}

/** Most holds of one sweep, how many of them at once, and how long the sweep waits for one, in milliseconds. */
const HOLDS_PER_SWEEP_MAX = 100;
const LANES = { total: 8, perKey: 8, timeoutMs: 30_000 };
const BACKOFF = doubling(1000, 300_000);
/**
 * Longest time that a request to create a hold may be under way, in milliseconds. Within this time, an absent hold may still be created.
 */
const REQUEST_MS_MAX = 3_600_000;

/** Voids holds that have expired. Returns when to look again, in milliseconds since the epoch; undefined where no hold expires. */
export async function sweepHolds(context: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(context.env);
  const due = await listDue(db, context.clock(), HOLDS_PER_SWEEP_MAX);
  await settleAll(due, {
    limits: LANES,
    keyOf: ({ ledger }) => ledger,
    run: (expiry) => lookAt(context, expiry),
  });
  const next = await nextDue(db);
  return next === undefined ? undefined : toMillis(next);
}

async function lookAt(context: ServiceContext, expiry: Expiry): Promise<void> {
  const db = databaseOf(context.env);
  try {
    const dueAt = await nextLook(context, expiry);
    if (dueAt === undefined) await removeExpiry(db, expiry);
    else await postpone(db, expiry, { dueAt, attempts: 0 });
  } catch (error) {
    const attempts = expiry.attempts + 1;
    const { ledger, holdId } = expiry;
    logError("a hold that has expired is voided later", error, { ledger, holdId, attempts });
    const waitMs = waitAfterFailures(BACKOFF, attempts);
    await postpone(db, expiry, { dueAt: after(context.clock(), waitMs), attempts });
  }
}

/** Voids a hold if it has expired. Returns when to look at the hold again; undefined where this is not needed. */
async function nextLook(
  context: ServiceContext,
  { ledger: name, holdId, askedAt }: Expiry,
): Promise<Timestamp | undefined> {
  const ledger = new WalletLedger(context, name);
  const hold = await findHold(ledger, holdId);
  const now = context.clock();
  if (hold === undefined) {
    const until = after(askedAt, REQUEST_MS_MAX);
    return now < until ? until : undefined;
  }
  if (hold.expiresAt !== undefined && hold.expiresAt > now) return hold.expiresAt;
  if (isOverdue(hold, now)) await voidOnce(ledger, holdId);
  return undefined;
}

const after = (time: Timestamp, waitMs: number): Timestamp => fromMillis(toMillis(time) + waitMs);
