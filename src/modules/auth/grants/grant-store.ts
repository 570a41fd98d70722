import { and, eq, isNull, sql } from "drizzle-orm";
import { authCodes, authGrants, authRefreshTokens } from "./tables.ts";
import { revocationOf } from "#modules/auth/revocations/revoke.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";

export type CodeRow = typeof authCodes.$inferSelect;
export type GrantRow = typeof authGrants.$inferSelect;
export type RefreshTokenRow = typeof authRefreshTokens.$inferSelect;

/** How long a redeemed code is kept after its expiry, so that its replay is recognised; in milliseconds. */
export const REDEEMED_CODE_KEPT_MS = 24 * 3_600_000;

/** Codes, grants and refresh tokens, in D1. What must happen at most once is one statement that changes one row. */
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

  async insertCode(code: CodeRow): Promise<void> {
    await this.#db.insert(authCodes).values(code);
  }

  async findCode(hash: string): Promise<CodeRow | undefined> {
    const [code] = await this.#db.select().from(authCodes).where(eq(authCodes.hash, hash));
    return code;
  }

  /** Turns a code into a grant, with its first refresh token. Returns false where another request has done so. */
  async redeemCode(
    code: CodeRow,
    made: { readonly grantId: string; readonly refreshToken: RefreshTokenRow | undefined },
  ): Promise<boolean> {
    const { grantId, refreshToken } = made;
    const codeKeptMs = code.expiresMs + REDEEMED_CODE_KEPT_MS;
    const expiresMs = Math.max(codeKeptMs, refreshToken?.expiresMs ?? 0);
    const [redeemed] = await this.#db.batch([
      this.#db
        .update(authCodes)
        .set({ grantId, expiresMs: codeKeptMs })
        .where(and(eq(authCodes.hash, code.hash), isNull(authCodes.grantId)))
        .returning({ hash: authCodes.hash }),
      // Nothing is selected where another grant has the code.
      this.#db.insert(authGrants).select(sql`
        SELECT ${grantId}, client_id, subject, scopes, auth_time, ${expiresMs}
        FROM auth_codes WHERE hash = ${code.hash} AND grant_id = ${grantId}`),
      ...(refreshToken === undefined ? [] : [this.#insertRefreshToken(refreshToken)]),
    ]);
    return redeemed.length > 0;
  }

  /** Ends a grant: its refresh tokens are gone at once, and its access tokens are revoked. */
  async revokeGrant(id: string): Promise<void> {
    await this.#db.batch([
      this.#db.delete(authGrants).where(eq(authGrants.id, id)),
      revocationOf(this.#context, { kind: "grant", value: id }),
    ]);
  }

  /** Adds a token, if its grant is there. */
  #insertRefreshToken({ hash, grantId, expiresMs }: RefreshTokenRow) {
    return this.#db.insert(authRefreshTokens).select(sql`
      SELECT ${hash}, id, ${expiresMs}, NULL FROM auth_grants WHERE id = ${grantId}`);
  }
}
