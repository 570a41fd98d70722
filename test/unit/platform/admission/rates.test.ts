import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { takeRate } from "#platform/admission/rates.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const rateOf = (limit: () => Promise<{ success: boolean }>): RateLimit => ({ limit });

test("a request within the rate goes on, and one beyond it is refused", async () => {
  await takeRate(
    rateOf(() => Promise.resolve({ success: true })),
    "key",
  );
  const beyond = takeRate(
    rateOf(() => Promise.resolve({ success: false })),
    "key",
  );
  await expect(beyond).rejects.toMatchObject({ kind: "RATE_LIMITED", retryAfterSeconds: 60 });
});

test.each([
  ["fails", (): Promise<never> => Promise.reject(new Error("no limiter"))],
  ["never answers", (): Promise<never> => new Promise(() => undefined)],
])("a request goes on within a second where the platform %s", async (_how, limit) => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const startMs = Date.now();
  const taken = takeRate(rateOf(limit), "key").then(() => Date.now() - startMs);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await taken).toBeLessThanOrEqual(1000);
  expect(logged).toHaveBeenCalledOnce();
});
