import { describe, expect, test } from "vitest";
import type { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { ProviderRequest } from "#modules/payments/connectors/contract.ts";
import {
  ANSWER_BYTES_MAX,
  parseAnswer,
  providerFetch,
} from "#modules/payments/connectors/kit/http.ts";
import { HeldError } from "#platform/arming/arming-watch.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";

const GET: ProviderRequest = { method: "GET", url: "https://psp.example/accounts" };
const POST: ProviderRequest = { ...GET, method: "POST", body: "{}" };

/** The error with which a call ends for a behaviour of the provider. */
async function failureOf(
  answer: (signal: AbortSignal | null | undefined) => Response | Promise<Response>,
  request = GET,
): Promise<ConnectorError> {
  const call = providerFetch({
    fetch: async (_url, init) => answer(init.signal),
    policy: { allowPrivateHosts: false },
    gate: OPEN_GATE,
    secrets: ["very-secret"],
    timeoutMs: 20,
  });
  return call(request).then(
    () => expect.unreachable("the call succeeds"),
    (error: unknown) => error as ConnectorError, // calls throw no other errors
  );
}

describe("a call of a provider", () => {
  test.each([
    [400, "invalid", undefined],
    [401, "invalid", undefined],
    [408, "unknown", undefined],
    [421, "unknown", undefined],
    [423, "rate-limited", 5000],
    [429, "rate-limited", 5000],
    [500, "unknown", undefined],
    [503, "unknown", undefined],
    [302, "invalid", undefined],
  ])("a call of a provider that is answered with %i is %s", async (status, kind, retryAfterMs) => {
    const failure = await failureOf(() => new Response("no", { status }));
    expect(failure).toMatchObject({ kind, retryAfterMs });
    expect(failure.message).toBe(`GET /accounts: the provider answered ${status}: no`);
  });

  test("a call of a provider waits as long as the provider says, but no longer than an hour", async () => {
    const withHeader = (text: string) => () =>
      new Response(null, { status: 429, headers: { "retry-after": text } });
    expect((await failureOf(withHeader("7"))).retryAfterMs).toBe(7000);
    expect((await failureOf(withHeader("999999"))).retryAfterMs).toBe(3_600_000);
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterMs = 0 } = await failureOf(withHeader(date));
    expect(retryAfterMs).toBeGreaterThan(1000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect((await failureOf(withHeader("soon"))).retryAfterMs).toBe(5000);
  });

  test("a call of a provider has an unknown outcome without an answer, unless it is a read", async () => {
    const refuse = (): Response => {
      throw new Error("connection lost");
    };
    expect(await failureOf(refuse, POST)).toMatchObject({ kind: "unknown" });
    expect(await failureOf(refuse)).toMatchObject({ kind: "unreachable" });
  });

  test("a call of a provider ends when the provider hangs, also in the middle of a body", async () => {
    const never = () => new Promise<Response>(() => undefined);
    expect((await failureOf(never, POST)).kind).toBe("unknown");
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
    const failure = await failureOf(() => new Response(body), POST);
    expect(failure.message).toContain("no complete answer");
  });

  test("a call of a provider refuses an answer that is too large, and a host that is not public", async () => {
    const large = new Uint8Array(ANSWER_BYTES_MAX + 1);
    expect(await failureOf(() => new Response(large))).toMatchObject({ kind: "invalid" });
    const inside = { ...GET, url: "http://127.0.0.1/accounts" };
    const failure = await failureOf(() => new Response("[]"), inside);
    expect(failure).toMatchObject({ kind: "invalid" });
    expect(failure.message).toContain("not a public host");
  });

  test("a call of a provider that is no read may have been executed if its answer is too large", async () => {
    const large = () => new Response("x".repeat(ANSWER_BYTES_MAX));
    expect((await failureOf(large, POST)).kind).toBe("unknown");
    expect((await failureOf(large, { ...POST, isRead: true })).kind).toBe("invalid");
  });

  test("a call of a provider shows no part of a secret where the error body is cut", async () => {
    const body = `${"x".repeat(195)} very-secret`;
    const { message } = await failureOf(() => new Response(body, { status: 400 }));
    expect(message).toContain("xxxx ***");
    expect(message).not.toContain("very");
  });

  test("a call of a provider shows the message of the error body, but no secret", async () => {
    const body = JSON.stringify({ title: "Bad key", detail: "very-secret is not a key" });
    const failure = await failureOf(() => new Response(body, { status: 403 }));
    expect(failure.message).toBe(
      "GET /accounts: the provider answered 403: Bad key: *** is not a key",
    );
  });

  test("a call of a provider shows only the ends of card and bank account numbers", async () => {
    const detail =
      "4111 1111 1111 1111, DE89 3704 0044 0532 0130 00, GB29NWBK60161331926819 or 12345678";
    const failure = await failureOf(() =>
      Response.json({ error: { code: "bad", message: detail } }, { status: 400 }),
    );
    expect(failure.message).toBe(
      "GET /accounts: the provider answered 400: bad: ***1111, ***0 00, ***6819 or ***5678",
    );
  });

  test("a call of a provider gives a success, and 404, to the plugin", async () => {
    for (const status of [200, 201, 404]) {
      const call = providerFetch({
        fetch: async () => new Response("[]", { status }),
        policy: { allowPrivateHosts: false },
        gate: OPEN_GATE,
        secrets: [],
      });
      expect(await call(GET)).toMatchObject({ status, text: "[]" });
    }
  });
});

test("an answer that is no JSON is not quoted, because it may hold secrets", () => {
  const answer = {
    status: 200,
    headers: new Headers(),
    text: '{"token": sk_live_01}',
    request: "GET /a",
  };
  let thrown: unknown;
  try {
    parseAnswer(answer);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ kind: "unknown" });
  expect(thrown).not.toHaveProperty("cause");
  expect(String(thrown)).not.toContain("sk_live");
});

describe("a plugin whose connector is disarmed between two of its requests", () => {
  /** The error of a held request after requests that were sent. */
  async function heldAfter(...sent: readonly ProviderRequest[]): Promise<unknown> {
    let isOpen = true;
    const call = providerFetch({
      fetch: async () => new Response("{}"),
      policy: { allowPrivateHosts: false },
      gate: async () => {
        if (!isOpen) throw new HeldError("DISARMED", "the deployment is disarmed");
      },
      secrets: [],
    });
    for (const request of sent) await call(request);
    isOpen = false;
    return call(GET).then(
      () => expect.unreachable("the gate is closed"),
      (error: unknown) => error,
    );
  }

  test("a request that is held after reads only says that nothing has happened", async () => {
    expect(await heldAfter()).toBeInstanceOf(HeldError);
    expect(await heldAfter(GET, { ...POST, isRead: true })).toBeInstanceOf(HeldError);
  });

  test("a request that is held after one that may have moved money leaves the outcome unknown", async () => {
    expect(await heldAfter(POST)).toMatchObject({
      kind: "unknown",
      message: "GET /accounts: not sent, after requests that were: the deployment is disarmed",
    });
    expect(await heldAfter(POST, GET)).toMatchObject({ kind: "unknown" });
  });
});
