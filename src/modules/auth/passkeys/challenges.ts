import { and, eq } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { authLogins } from "#modules/auth/authorize/tables.ts";
import { hashToken } from "#modules/auth/grants/opaque-token.ts";
import { authSessions } from "#modules/auth/people/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";

/** The tables with challenges, which a passkey has to sign. A challenge is kept with its login or session. */
const TABLES = { login: authLogins, session: authSessions } as const satisfies Record<
  string,
  SQLiteTable & { hash: AnySQLiteColumn; challenge: AnySQLiteColumn }
>;

export interface ChallengeKey {
  readonly of: keyof typeof TABLES;
  /** The id of the login, or the value of the session's cookie. */
  readonly token: string;
}

/** Stores the hash of a challenge. An earlier challenge of the same login or session is no longer accepted. */
export async function putChallenge(
  { env }: ServiceContext,
  { of, token }: ChallengeKey,
  challenge: string,
): Promise<void> {
  const table = TABLES[of];
  const db = databaseOf(env);
  await storeWithReserve(db, [
    db
      .update(table)
      .set({ challenge: hashToken(challenge) })
      .where(eq(table.hash, hashToken(token))),
  ]);
}

/**
 * Takes the challenge, which is valid for one attempt: of two attempts at once, one gets it. Returns a function that tells
 * whether a text is the challenge; undefined if there is none.
 */
export async function takeChallenge(
  { env }: ServiceContext,
  { of, token }: ChallengeKey,
): Promise<((text: string) => boolean) | undefined> {
  const table = TABLES[of];
  const db = databaseOf(env);
  const isThisOne = eq(table.hash, hashToken(token));
  const [row] = await db.select({ challenge: table.challenge }).from(table).where(isThisOne);
  const hash = row?.challenge ?? undefined;
  if (hash === undefined) return undefined;
  const taken = await db
    .update(table)
    .set({ challenge: null })
    .where(and(isThisOne, eq(table.challenge, hash)))
    .returning({ hash: table.hash });
  return taken.length > 0 ? (text) => hashToken(text) === hash : undefined;
}
