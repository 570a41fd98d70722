import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";

/** The period of all rates in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;

/**
 * Counts a request of `key` before its work, and throws `RATE_LIMITED` where the key has made too many within a minute. The rate is that of the
 * binding: each place of Cloudflare's network counts for itself. Where the platform cannot count, the request goes on: the gates of
 * `Admission` still hold for it, and nobody is locked out by a limit that is away.
 */
export async function takeRate(rate: RateLimit, key: string): Promise<void> {
  if (await isWithin(rate, key)) return;
  throw new AppError(
    "RATE_LIMITED",
    "too many requests have come from this address; try again in a minute",
    {
      retryAfterSeconds: PERIOD_SECONDS,
    },
  );
}

async function isWithin(rate: RateLimit, key: string): Promise<boolean> {
  try {
    const { success } = await rate.limit({ key });
    return success;
  } catch (error) {
    logError("a rate could not be counted", error);
    return true;
  }
}
