import { and, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import {
  type CodeCause,
  GrantStore,
  type MadeGrant,
  REDEEMED_CODE_KEPT_MS,
} from "./grant-store.ts";
import { authDeviceCodes, authGrants } from "./tables.ts";
import { armRevocationSweep, revocationIfChanged } from "#modules/auth/revocations/revoke.ts";
import { armSweep, GRANTS_SWEEP } from "#modules/auth/sweeps.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { insertForStranger } from "#platform/db/strangers-rows.ts";

export type DeviceCodeRow = typeof authDeviceCodes.$inferSelect;

/** How long a person may take to answer a device, in milliseconds. */
export const DEVICE_CODE_LIFETIME_MS = 10 * 60_000;
/** How long the row of a device code is kept after the code has expired, in milliseconds, so that the device learns that it has expired. */
export const EXPIRED_KEPT_MS = 10 * 60_000;
/** How long a device waits between two polls, in seconds (RFC 8628 §3.2). */
export const DEVICE_POLL_SECONDS = 5;
/** How much earlier than asked a poll may come, in milliseconds, because networks delay some polls more than others. */
const POLL_EARLY_MS_MAX = 1000;
const POLL_WAIT_MS = DEVICE_POLL_SECONDS * 1000 - POLL_EARLY_MS_MAX;

/** Most device codes, dead ones included. Each takes about half a kilobyte. */
const DEVICE_CODES_MAX = 100_000;
const ROWS = {
  table: authDeviceCodes,
  key: authDeviceCodes.hash,
  end: authDeviceCodes.expiresMs,
  rowsMax: DEVICE_CODES_MAX,
};

/** Whether a device code may still be answered and redeemed. A code of a time far ahead was made before the machine's clock was set back. */
export const isLive = ({ createdMs }: DeviceCodeRow, nowMs: number): boolean =>
  Math.abs(nowMs - createdMs) < DEVICE_CODE_LIFETIME_MS;

/** Whether a device asks again too early. No device has to wait longer than the interval, so a time further ahead is one of a clock that was set back. */
export const isTooEarly = ({ nextPollMs }: DeviceCodeRow, nowMs: number): boolean =>
  nextPollMs > nowMs && nextPollMs <= nowMs + POLL_WAIT_MS;

/** What a person allows. */
export interface Approval {
  readonly subject: string;
  /** The granted scopes, separated by spaces. */
  readonly scopes: string;
  /** When the person has logged in, in seconds since the epoch. */
  readonly authTime: number;
}

/** Device codes, in D1. Each change of a state is one statement that changes one row, or none. */
export class DeviceCodeStore {
  readonly #db: Database;
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#db = databaseOf(context.env);
    this.#context = context;
  }

  /** Adds a device code. Returns false if its user code is taken. Anybody can ask for one, so the oldest end when there are very many. */
  async insert(row: DeviceCodeRow): Promise<boolean> {
    const insertion = this.#db
      .insert(authDeviceCodes)
      .values(row)
      .onConflictDoNothing()
      .returning({ hash: authDeviceCodes.hash });
    const added = await insertForStranger(this.#db, ROWS, insertion);
    if (added.length === 0) return false;
    await armSweep(this.#context.env, GRANTS_SWEEP, row.expiresMs);
    return true;
  }

  async find(hash: string): Promise<DeviceCodeRow | undefined> {
    const [row] = await this.#db
      .select()
      .from(authDeviceCodes)
      .where(eq(authDeviceCodes.hash, hash));
    return row;
  }

  /** The live device code with a user code, which may have been answered; undefined if there is none any more. */
  async findLive(userCode: string, nowMs: number): Promise<DeviceCodeRow | undefined> {
    const [row] = await this.#db
      .select()
      .from(authDeviceCodes)
      .where(eq(authDeviceCodes.userCode, userCode));
    return row !== undefined && isLive(row, nowMs) ? row : undefined;
  }

  /** Notes a poll that is not too early (`isTooEarly`). Returns false if another poll has come meanwhile. */
  async takePoll({ hash, nextPollMs }: DeviceCodeRow, nowMs: number): Promise<boolean> {
    const isUnpolled = eq(authDeviceCodes.nextPollMs, nextPollMs);
    const polled = await storeWithReserve(this.#db, [
      this.#db
        .update(authDeviceCodes)
        .set({ nextPollMs: nowMs + POLL_WAIT_MS })
        .where(and(eq(authDeviceCodes.hash, hash), isUnpolled))
        .returning({ hash: authDeviceCodes.hash }),
    ]);
    return polled[0].length > 0;
  }

  /** Stores a person's approval, once, while the person's session lasts. Returns false if another answer was first, or the code or the session has ended. */
  approve(
    hash: string,
    { subject, scopes, authTime }: Approval,
    { nowMs, condition }: { nowMs: number; condition: CodeCause["condition"] },
  ): Promise<boolean> {
    return this.#answer(and(isPending(hash, nowMs), condition), {
      state: "approved",
      subject,
      scopes,
      authTime,
    });
  }

  /** Stores that a person has refused, once. Returns false if another answer was first, or the code has ended. */
  deny(hash: string, subject: string, nowMs: number): Promise<boolean> {
    return this.#answer(isPending(hash, nowMs), { state: "denied", subject });
  }

  async #answer(condition: SQL | undefined, answer: Partial<DeviceCodeRow>): Promise<boolean> {
    const [answered] = await storeWithReserve(this.#db, [
      this.#db
        .update(authDeviceCodes)
        .set(answer)
        .where(condition)
        .returning({ hash: authDeviceCodes.hash }),
    ]);
    return answered.length > 0;
  }

  /**
   * Turns an approved device code into a grant, with its first refresh token; the grant of an earlier redemption ends in the same batch.
   * Returns false if another request has redeemed the code since it was read, or if the earlier grant has ended.
   */
  async redeem(code: DeviceCodeRow, made: MadeGrant, nowMs: number): Promise<boolean> {
    const { grantId, refreshToken } = made;
    const keptMs = code.createdMs + DEVICE_CODE_LIFETIME_MS + REDEEMED_CODE_KEPT_MS;
    const expiresMs = Math.max(keptMs, refreshToken?.expiresMs ?? 0);
    const { grantId: earlier } = code;
    const isWaiting = and(
      eq(authDeviceCodes.hash, code.hash),
      eq(authDeviceCodes.state, "approved"),
      earlier === null ? isNull(authDeviceCodes.grantId) : isStill(earlier),
    );
    const isRedeemed = sql`FROM auth_device_codes WHERE hash = ${code.hash} AND grant_id = ${grantId}`;
    const [redeemed] = await storeWithReserve(this.#db, [
      this.#db
        .update(authDeviceCodes)
        .set({ grantId, redeemedMs: code.redeemedMs ?? nowMs, expiresMs: keptMs })
        .where(isWaiting)
        .returning({ hash: authDeviceCodes.hash }),
      // The selection is empty if another grant has the device code.
      this.#db.insert(authGrants).select(sql`
        SELECT ${grantId}, client_id, subject, scopes, auth_time, membership, ${expiresMs} ${isRedeemed}`),
      ...(refreshToken === undefined
        ? []
        : [GrantStore.from(this.#context).insertRefreshToken(refreshToken)]),
      ...(earlier === null
        ? []
        : [
            this.#db
              .delete(authGrants)
              .where(and(eq(authGrants.id, earlier), sql`EXISTS (SELECT 1 ${isRedeemed})`)),
            revocationIfChanged(this.#context, { kind: "grant", value: earlier }),
          ]),
    ]);
    if (earlier !== null) await armRevocationSweep(this.#context);
    return redeemed.length > 0;
  }
}

/** Whether a device code has this grant, and the grant has not ended. */
const isStill = (grantId: string): SQL | undefined =>
  and(
    eq(authDeviceCodes.grantId, grantId),
    sql`EXISTS (SELECT 1 FROM ${authGrants} WHERE ${eq(authGrants.id, grantId)})`,
  );

const isPending = (hash: string, nowMs: number) =>
  and(
    eq(authDeviceCodes.hash, hash),
    eq(authDeviceCodes.state, "pending"),
    gt(authDeviceCodes.createdMs, nowMs - DEVICE_CODE_LIFETIME_MS),
    lt(authDeviceCodes.createdMs, nowMs + DEVICE_CODE_LIFETIME_MS),
  );
