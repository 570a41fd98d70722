import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { withDeadline } from "#platform/work/deadline.ts";

/** The period of all rates in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;
/** How long a count may take, in milliseconds. */
const COUNT_MS_MAX = 1000;

/**
 * Counts a request of `key` before its work, and throws `RATE_LIMITED` where the key has made too many within a minute. The rate is that of the
 * binding: each place of Cloudflare's network counts for itself. Where the platform cannot count, or does not answer within a second, the
 * request goes on: the gates of `Admission` still hold for it, and nobody is locked out by a limit that is away.
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
    const late = new Error(`the count took longer than ${COUNT_MS_MAX} ms`);
    return await withDeadline({ afterMs: COUNT_MS_MAX, reason: late }, async (signal) => {
      const { success } = await Promise.race([rate.limit({ key }), aborted(signal)]);
      return success;
    });
  } catch (error) {
    logError("a rate could not be counted", error);
    return true;
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error)); // the deadline's
  });
