import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { withDeadline } from "#platform/work/deadline.ts";

/** The period of all rates in wrangler.toml, in seconds. */
const PERIOD_SECONDS = 60;
/** Longest time of one count, in milliseconds. */
const COUNT_MS_MAX = 1000;

/**
 * Counts a request of `key` before its work, and throws `RATE_LIMITED` where the key has made too many within a minute. The binding has the
 * rate, and each location of Cloudflare's network counts for itself. If the platform cannot count, or does not answer within a second, the
 * request is let through: an outage of the counter locks nobody out, and the gates of `Admission` still apply.
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
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
