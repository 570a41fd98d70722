import { SigningKeys } from "./keys/signing-keys.ts";
import { latestRefusals } from "./quotas/refusals.ts";
import { authSettings } from "./settings.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { ageSeconds, sample, type StatusSection } from "#platform/status/section.ts";
import { toMillis } from "#platform/time.ts";

/** How much older than it should be the key may be, in milliseconds: it is replaced when a token is next signed. */
const LATE_MS = 7 * 24 * 3_600_000;

/** What an operator should know of the module: the ages of keys that sign tokens, and refusals of quotas. */
export const AUTH_STATUS: readonly StatusSection[] = [
  {
    name: "keys",
    description: "Keys that sign and verify tokens",
    read: async ({ env, clock }) => {
      const nowMs = toMillis(clock());
      const keys = await SigningKeys.from(env).states();
      const newest = keys.at(0);
      const maxMs = authSettings.of(env).FLORIN_SIGNING_KEY_AGE;
      const endMs = (newest?.createdMs ?? nowMs) + maxMs;
      const limits = [
        sample(FAMILIES.verifyingKeys, keys.length, {}),
        sample(FAMILIES.keyAgeMax, maxMs / 1000, {}),
      ];
      if (newest === undefined) return { samples: limits, problems: [] };
      return {
        samples: [...limits, sample(FAMILIES.keyAge, ageSeconds(newest.createdMs, nowMs), {})],
        problems:
          nowMs - endMs <= LATE_MS
            ? []
            : [
                {
                  severity: "warning",
                  what: `the key ${newest.kid}`,
                  sinceMs: endMs,
                  why: "the key that signs tokens is older than FLORIN_SIGNING_KEY_AGE, and no token was asked for since",
                  whatToDo: "rotate it: npm run florin -- keys rotate",
                },
              ],
      };
    },
  },
  {
    name: "quotas",
    description: "Clients that have asked for more than their quota",
    read: async ({ env }) => ({
      samples: (await latestRefusals(env)).map(({ client, kind, count }) =>
        sample(FAMILIES.quotaRefusals, count, { client, kind }),
      ),
      problems: [],
    }),
  },
];
