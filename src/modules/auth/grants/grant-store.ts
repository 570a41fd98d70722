import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { authCodes, authDeviceCodes, authGrants, authRefreshTokens } from "./tables.ts";
import { armRevocationSweep, revocationOf } from "#modules/auth/revocations/revoke.ts";
import { armSweep, GRANTS_SWEEP } from "#modules/auth/sweeps.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";

export type CodeRow = typeof authCodes.$inferSelect;
type NewCodeRow = Omit<CodeRow, "grantId">;
export type GrantRow = typeof authGrants.$inferSelect;
export type RefreshTokenRow = typeof authRefreshTokens.$inferSelect;

/** How long a redeemed code is kept after its expiry, in milliseconds, so that a replay of it is recognised. */
export const REDEEMED_CODE_KEPT_MS = 24 * 3_600_000;

/** A grant that the redemption of a code makes, with the row of its first refresh token, if it has one. */
export interface MadeGrant {
  readonly grantId: string;
  readonly refreshToken: RefreshTokenRow | undefined;
}

/** The login or session that a code is issued for. The code is stored only while `condition` holds, so that nobody has ended it meanwhile. */
export interface CodeCause {
  readonly condition: SQL;
  /** The statement that ends the cause in the batch of the code. */
  readonly consequence?: BatchItem<"sqlite">;
}

/** Codes, grants and refresh tokens, in D1. An effect that must happen at most once is one statement that changes one row. */
export class GrantStore {
  readonly #db: Database;
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#db = databaseOf(context.env);
    this.#context = context;
  }

  static from(context: ServiceContext): GrantStore {
    return new GrantStore(context);
  }

  /** Stores a code. Returns false if its cause is gone. */
  async insertCode(code: NewCodeRow, cause: CodeCause): Promise<boolean> {
    const { hash, clientId, subject, redirectUri, scopes, nonce, codeChallenge } = code;
    const { condition, consequence } = cause;
    const [added] = await storeWithReserve(this.#db, [
      this.#db
        .insert(authCodes)
        .select(
          sql`
            SELECT ${hash}, ${clientId}, ${subject}, ${redirectUri}, ${scopes}, ${nonce}, ${codeChallenge},
              ${code.authTime}, ${code.expiresMs}, NULL
            WHERE ${condition}`,
        )
        .returning({ hash: authCodes.hash }),
      ...(consequence === undefined ? [] : [consequence]),
    ]);
    if (added.length === 0) return false;
    await armSweep(this.#context.env, GRANTS_SWEEP, code.expiresMs);
    return true;
  }

  async findCode(hash: string): Promise<CodeRow | undefined> {
    const [code] = await this.#db.select().from(authCodes).where(eq(authCodes.hash, hash));
    return code;
  }

  /** Turns a code into a grant, with its first refresh token. Returns false if another request has redeemed the code. */
  async redeemCode(code: CodeRow, { grantId, refreshToken }: MadeGrant): Promise<boolean> {
    const codeKeptMs = code.expiresMs + REDEEMED_CODE_KEPT_MS;
    const expiresMs = Math.max(codeKeptMs, refreshToken?.expiresMs ?? 0);
    const [redeemed] = await storeWithReserve(this.#db, [
      this.#db
        .update(authCodes)
        .set({ grantId, expiresMs: codeKeptMs })
        .where(and(eq(authCodes.hash, code.hash), isNull(authCodes.grantId)))
        .returning({ hash: authCodes.hash }),
      // The selection is empty if another grant has the code.
      this.#db.insert(authGrants).select(sql`
        SELECT ${grantId}, client_id, subject, scopes, auth_time, NULL, ${expiresMs}
        FROM auth_codes WHERE hash = ${code.hash} AND grant_id = ${grantId}`),
      ...(refreshToken === undefined ? [] : [this.insertRefreshToken(refreshToken)]),
    ]);
    return redeemed.length > 0;
  }

  async findRefreshToken(
    hash: string,
  ): Promise<{ token: RefreshTokenRow; grant: GrantRow } | undefined> {
    const [found] = await this.#db
      .select({ token: authRefreshTokens, grant: authGrants })
      .from(authRefreshTokens)
      .innerJoin(authGrants, eq(authGrants.id, authRefreshTokens.grantId))
      .where(eq(authRefreshTokens.hash, hash));
    return found;
  }

  /** Replaces a refresh token by its successor. Returns false if another request has done so, or the grant has ended. */
  async rotate(token: RefreshTokenRow, successor: RefreshTokenRow): Promise<boolean> {
    const { hash, grantId, expiresMs } = successor;
    const [used] = await storeWithReserve(this.#db, [
      this.#db
        .update(authRefreshTokens)
        .set({ successor: hash })
        .where(and(eq(authRefreshTokens.hash, token.hash), isNull(authRefreshTokens.successor)))
        .returning({ hash: authRefreshTokens.hash }),
      // The selection is empty if the token has another successor.
      this.#db.insert(authRefreshTokens).select(sql`
        SELECT ${hash}, grant_id, ${expiresMs}, NULL
        FROM auth_refresh_tokens WHERE hash = ${token.hash} AND successor = ${hash}`),
      this.#db
        .update(authGrants)
        .set({ expiresMs: sql`max(${authGrants.expiresMs}, ${expiresMs})` })
        .where(eq(authGrants.id, grantId)),
    ]);
    return used.length > 0;
  }

  async findGrant(id: string): Promise<GrantRow | undefined> {
    const [grant] = await this.#db.select().from(authGrants).where(eq(authGrants.id, id));
    return grant;
  }

  /** Ends a grant. Its refresh tokens end at once, and its access tokens when isolates read the revocation. */
  async revokeGrant(id: string): Promise<void> {
    await storeWithReserve(this.#db, [
      this.#db.delete(authGrants).where(eq(authGrants.id, id)),
      revocationOf(this.#context, { kind: "grant", value: id }),
    ]);
    await armRevocationSweep(this.#context);
  }

  /** The statement that adds a refresh token if its grant exists. */
  insertRefreshToken({ hash, grantId, expiresMs }: RefreshTokenRow) {
    return this.#db.insert(authRefreshTokens).select(sql`
      SELECT ${hash}, id, ${expiresMs}, NULL FROM auth_grants WHERE id = ${grantId}`);
  }
}

/** The client or the person whose grants end. */
export type GrantOwner = { readonly clientId: string } | { readonly subject: string };

/**
 * The statements that delete all codes, device codes and grants of an owner, and with the grants their refresh tokens. They go into the batch
 * of the change that they follow; the condition, if given, holds when the change was made.
 */
export function deleteGrantsOf({ env }: ServiceContext, owner: GrantOwner, condition?: SQL) {
  const db = databaseOf(env);
  const of = ({
    clientId,
    subject,
  }: typeof authCodes | typeof authDeviceCodes | typeof authGrants) =>
    "clientId" in owner ? eq(clientId, owner.clientId) : eq(subject, owner.subject);
  return [
    db.delete(authCodes).where(and(of(authCodes), condition)),
    db.delete(authDeviceCodes).where(and(of(authDeviceCodes), condition)),
    db.delete(authGrants).where(and(of(authGrants), condition)),
  ] as const;
}
