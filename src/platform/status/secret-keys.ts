import { eq } from "drizzle-orm";
import { FAMILIES } from "./families.ts";
import { ageSeconds, sample, type StatusSection } from "./section.ts";
import { secretKeys } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { toMillis } from "#platform/time.ts";

/** The sweep that notes since when the key that encrypts is in force. */
export const SECRET_KEYS_SWEEP = "secret-keys";
/** Time until the next sweep, in milliseconds. */
const LOOK_MS = 3_600_000;

/** Notes the key that encrypts secrets, if it is new. Returns the time of the next sweep, in milliseconds since the epoch. */
export async function sweepSecretKeys({ env, clock }: ServiceContext): Promise<number> {
  const db = databaseOf(env);
  const { keyId: id } = SecretBox.from(env);
  const nowMs = toMillis(clock());
  const known = await firstSeenMs(env);
  if (known === undefined) {
    await storeWithReserve(db, [
      db.insert(secretKeys).values({ id, firstSeenMs: nowMs }).onConflictDoNothing(),
    ]);
  }
  return nowMs + LOOK_MS;
}

/** When the key that encrypts was first seen, in milliseconds since the epoch; undefined if it is not noted yet. */
async function firstSeenMs(env: Env): Promise<number | undefined> {
  const [row] = await databaseOf(env)
    .select({ firstSeenMs: secretKeys.firstSeenMs })
    .from(secretKeys)
    .where(eq(secretKeys.id, SecretBox.from(env).keyId));
  return row?.firstSeenMs;
}

/** The keys with which secrets are encrypted at rest. */
export const secretsSection: StatusSection = {
  name: "secrets",
  description:
    "Keys of secrets at rest: since when the one that encrypts is known, and how many previous ones there are",
  read: async ({ env, clock }) => {
    const sinceMs = await firstSeenMs(env);
    const previous = platformSettings.of(env).FLORIN_PREVIOUS_SECRET_KEYS.length;
    return {
      samples: [
        ...(sinceMs === undefined
          ? []
          : [sample(FAMILIES.secretKeyAge, ageSeconds(sinceMs, toMillis(clock())), {})]),
        sample(FAMILIES.previousSecrets, previous, {}),
      ],
      problems: [],
    };
  },
};
