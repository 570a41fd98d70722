import { afterEach, describe, expect, test, vi } from "vitest";
import {
  CALL_TIMEOUT_MS,
  callEndpoint,
  parseRetryAfter,
  toCallTarget,
} from "#modules/webhooks/calls/call.ts";
import { toPayload } from "#modules/webhooks/calls/payload.ts";
import { SigningSecret } from "#modules/webhooks/calls/signature.ts";
import { type Fetch, checkUrl, OPEN_GATE } from "#platform/http/outbound.ts";
import { fromMillis } from "#platform/time.ts";

const NOW_MS = 1_767_225_600_750;
const POLICY = { allowPrivateHosts: false };
const SECRET = new SigningSecret("V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3");
const CALL = {
  target: {
    url: checkUrl("https://hooks.example.com/in", POLICY),
    urlSecrets: [],
    openSecrets: (_nowMs: number): readonly SigningSecret[] => [SECRET],
  },
  id: "3f0e1c2a-9b57-4a0e-8d1f-5c2b7a6e4d90",
  body: '{"data":"test"}',
  idempotencyKey: "",
  isTest: false,
};
const run = (fetch: Fetch, call: Partial<typeof CALL> = {}) =>
  callEndpoint(
    { ...CALL, ...call },
    { fetch, policy: POLICY, gate: OPEN_GATE, nowMs: () => NOW_MS },
  );

afterEach(() => vi.useRealTimers());

describe("a request", () => {
  const headersOf = async (call: Partial<typeof CALL>): Promise<Record<string, string>> => {
    let headers: Record<string, string> = {};
    await run(async (_url, init) => {
      headers = Object.fromEntries(new Headers(init.headers));
      return new Response();
    }, call);
    return headers;
  };

  test("a request of a webhook carries the signature of this attempt", async () => {
    const { traceparent, ...headers } = await headersOf({});
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(headers).toEqual({
      "content-type": "application/json",
      "user-agent": "formance-webhooks/v0",
      "formance-webhook-id": CALL.id,
      "formance-webhook-timestamp": "1767225600",
      "formance-webhook-signature": "v1,AZJTtItDjo88EwKybwl4r6p2wg6Ywp6R65qtkt8iwMY=",
      "formance-webhook-test": "false",
      "webhook-id": CALL.id,
      "webhook-timestamp": "1767225600",
      "webhook-signature": "v1,CNmFZVYO4RNx9VltMW0Fa0yLO+yDQRTGfTv8qaXVkSA=",
    });
  });
  test("a request of a webhook is signed by the secrets that are valid when it is made", async () => {
    const asked: number[] = [];
    const openSecrets = (nowMs: number): readonly SigningSecret[] => {
      asked.push(nowMs);
      return [SECRET, new SigningSecret(btoa("x".repeat(24)))];
    };
    const headers = await headersOf({ target: { ...CALL.target, openSecrets } });
    expect(headers).toHaveProperty(
      "formance-webhook-signature",
      expect.stringMatching(/^v1,AZJTtItDjo88EwKybwl4r6p2wg6Ywp6R65qtkt8iwMY= v1,[\w+/]{43}=$/),
    );
    expect(asked).toEqual([NOW_MS]);
  });
  test("a request of a webhook names the idempotency key of the event when there is one, and says when it is a test", async () => {
    expect(await headersOf({ idempotencyKey: "ik", isTest: true })).toMatchObject({
      "formance-webhook-idempotency-key": "ik",
      "formance-webhook-test": "true",
    });
  });
});

describe("an answer", () => {
  test("an answer to a webhook is kept as an excerpt without control characters", async () => {
    const bytes = new Uint8Array([0x6f, 0x6b, 0x00, 0x1b, 0xff, 0x0a, 0xc3, 0xa9]);
    const result = await run(async () => new Response(bytes));
    expect(result).toMatchObject({ statusCode: 200, responseExcerpt: "ok\ufffd\ufffd\ufffd\né" });
  });
  test("an answer to a webhook is kept up to 64 KiB", async () => {
    const result = await run(async () => new Response("x".repeat(100_000)));
    expect(result.responseExcerpt).toHaveLength(65_536);
  });
  test("an answer to a webhook without a body leaves no excerpt", async () => {
    const result = await run(async () => new Response(null, { status: 204 }));
    expect(result).toEqual({ statusCode: 204, durationMs: 0 });
  });
  test("an answer to a webhook may ask for a later time", async () => {
    const answer = new Response(null, { status: 429, headers: { "retry-after": "120" } });
    expect(await run(async () => answer)).toMatchObject({ statusCode: 429, retryAfterMs: 120_000 });
  });
  test("an answer to a webhook is waited for 15 seconds", async () => {
    vi.useFakeTimers();
    const called = Promise.withResolvers<void>();
    const waiting = run(() => {
      called.resolve();
      return new Promise(() => undefined);
    });
    await called.promise;
    await vi.advanceTimersByTimeAsync(CALL_TIMEOUT_MS);
    expect(await waiting).toMatchObject({
      statusCode: 0,
      error: "no complete answer within 15 s",
    });
  });
  test("an answer to a webhook that does not arrive has the status 0", async () => {
    const result = await run(() => Promise.reject(new Error("no route to host")));
    expect(result).toMatchObject({ statusCode: 0, error: "no route to host" });
  });
});

test("a secret that cannot be opened is a failed call, and nothing is sent", async () => {
  let calls = 0;
  const fetch: Fetch = async () => {
    calls++;
    return new Response();
  };
  const openSecrets = (): never => {
    throw new Error("unknown key");
  };
  const result = await run(fetch, { target: { ...CALL.target, openSecrets } });
  expect(result).toMatchObject({ statusCode: 0, error: "the request could not be signed" });
  expect(calls).toBe(0);
});

test("a URL that cannot be decrypted is a failed call, and nothing is sent", async () => {
  const context = {
    fetch: () => Promise.reject(new Error("sent")),
    policy: POLICY,
    gate: OPEN_GATE,
    nowMs: () => 0,
  };
  const { openSecrets } = CALL.target;
  const target = toCallTarget({ endpoint: undefined, openSecrets }, context);
  expect(await callEndpoint({ ...CALL, target }, context)).toMatchObject({
    statusCode: 0,
    error: "the URL cannot be decrypted",
  });
});

describe("Retry-After", () => {
  test.each([
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5000],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 59_250],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ])("the Retry-After %j is understood", (value, expected) => {
    expect(parseRetryAfter(value, NOW_MS)).toBe(expected);
  });
  test.each([null, "", "-1", "1.5", "soon", "1e3", "2026-01-01", "Thu, 99 Xyz 2026 00:00:00 GMT"])(
    "the Retry-After %j is ignored",
    (value) => {
      expect(parseRetryAfter(value, NOW_MS)).toBeUndefined();
    },
  );
});

describe("the body of a delivery", () => {
  const event = {
    id: "e1",
    app: "ledger",
    version: "v2",
    type: "COMMITTED_TRANSACTIONS",
    date: fromMillis(1_767_225_600_000),
    idempotencyKey: "",
  };

  test("the body of a delivery is the envelope with the normalised name and exact integers", () => {
    const payload = { ledger: "default", amount: 10n ** 30n, id: 9_007_199_254_740_993n };
    expect(toPayload({ ...event, payload })).toBe(
      '{"idempotency_key":"","date":"2026-01-01T00:00:00Z","app":"ledger","version":"v2","type":"ledger.committed_transactions","payload":{"ledger":"default","amount":1000000000000000000000000000000,"id":9007199254740993}}',
    );
  });
  test("the body of a delivery has all members even if they are empty", () => {
    expect(toPayload({ ...event, app: "", type: "foo", payload: undefined })).toBe(
      '{"idempotency_key":"","date":"2026-01-01T00:00:00Z","app":"","version":"v2","type":"foo","payload":null}',
    );
  });
});
