import { expect, test } from "vitest";
import { isolate } from "#test/support/runner/isolate.ts";

const PAGE = "/api/auth/logged-out";

/** A rate limit that lets `most` requests of each key through, and the keys that it was asked for. */
function rateOf(most: number): { rate: RateLimit; keys: string[] } {
  const keys: string[] = [];
  const rate: RateLimit = {
    limit: async ({ key }) => {
      keys.push(key);
      return { success: keys.filter((other) => other === key).length <= most };
    },
  };
  return { rate, keys };
}

test("a page beyond the rate of its address is answered with 429 and when to come back", async () => {
  const { rate, keys } = rateOf(2);
  const server = isolate({ PAGE_RATE: rate });
  for (const status of [200, 200, 429]) expect((await server(PAGE)).status).toBe(status);
  const refused = await server("/api/auth/login", { method: "POST", body: "request=unknown" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(await refused.text()).toContain("too many requests have come from this address");
  expect(new Set(keys).size).toBe(1);
});

test("a secret of a link that signs in is counted as pages are, and the refusal is JSON", async () => {
  const { rate, keys } = rateOf(2);
  const server = isolate({ PAGE_RATE: rate });
  const attempt = () => server("/api/auth/sign-in", { method: "POST", body: '{"secret":"x"}' });
  const answers = [await attempt(), await attempt(), await attempt()];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
  expect(answers[2]?.headers.get("retry-after")).toBe("60");
  expect(await answers[2]?.json()).toEqual({
    errorCode: "VALIDATION",
    errorMessage: expect.stringContaining(
      "too many requests have come from this address",
    ) as string,
  });
  expect(keys).toHaveLength(3);
});

test("an operation of the API counts by no rate", async () => {
  const { rate, keys } = rateOf(0);
  const server = isolate({ PAGE_RATE: rate });
  expect((await server("/api/ledger/_info")).status).toBe(200);
  expect(keys).toEqual([]);
});

test("a page is shown while the platform cannot count", async () => {
  const limit = async () => Promise.reject(new Error("the counter is away"));
  expect((await isolate({ PAGE_RATE: { limit } })(PAGE)).status).toBe(200);
});
