import { authRevocations } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

export type RevocationKind = (typeof authRevocations.$inferSelect)["kind"];

/** What is to be no longer valid. */
export interface Revoked {
  readonly kind: RevocationKind;
  readonly value: string;
}

/** Longest life of an access token, in seconds. */
export const ACCESS_TOKEN_SECONDS_MAX = 3600;
/** How much longer a revocation is kept than the longest token lives, as clocks of machines differ; in milliseconds. */
const MARGIN_MS = 10 * 60_000;

/**
 * The statement that revokes all tokens of a client, a person or a grant that were issued until now, or a single token. It
 * belongs into the batch of the change that it follows from. Isolates learn of it within 30 seconds.
 */
export function revocationOf({ env, clock }: ServiceContext, { kind, value }: Revoked) {
  const nowMs = toMillis(clock());
  return databaseOf(env)
    .insert(authRevocations)
    .values({
      kind,
      value,
      revokedAt: Math.floor(nowMs / 1000),
      expiresMs: nowMs + ACCESS_TOKEN_SECONDS_MAX * 1000 + MARGIN_MS,
    });
}
