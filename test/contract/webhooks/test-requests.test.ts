import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { callContextOf } from "#modules/webhooks/calls/call.ts";
import { signatureHeaders, SigningSecret } from "#modules/webhooks/calls/signature.ts";
import {
  ALL_TESTS_PER_MINUTE_MAX,
  TESTS_PER_MINUTE_MAX,
} from "#modules/webhooks/configs/test-limit.ts";
import { WebhookService } from "#modules/webhooks/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { Fetch } from "#platform/http/outbound.ts";
import { fromMillis } from "#platform/time.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";
import { UNKNOWN_ID, UUID, webhooks, insert, failureOf } from "#test/support/webhooks/configs.ts";
import { EndpointBench } from "#test/support/webhooks/deliveries.ts";

describe("test request", () => {
  test("a test request reports that nobody answers at the endpoint", async () => {
    // No server listens on this port of the loopback interface, which the test settings allow.
    const { id } = await insert("http://127.0.0.1:9/in");
    const answer = await webhooks.testConfig({ id });
    expect(answer.attemptResponse?.data).toMatchObject({
      config: { id },
      payload: '{"data":"test"}',
      statusCode: 0,
      status: "failed",
      retryAttempt: 0,
    });
    expect(answer.attemptResponse?.data.webhookID).toMatch(UUID);
    const response = await api(`/api/webhooks/configs/${id}/test`);
    expect(await bodyOf(response)).toMatchObject({
      data: {
        createdAt: "0001-01-01T00:00:00Z",
        updatedAt: "0001-01-01T00:00:00Z",
        nextRetryAfter: "0001-01-01T00:00:00Z",
      },
    });
  });

  test("a test request is signed, and works for an inactive config without leaving a trace", async () => {
    const { id, secret, endpoint } = await insert();
    await webhooks.deactivateConfig({ id });
    const bench = new EndpointBench();
    bench.respond = () => new Response(null, { status: 404 });
    const { result, webhookId } = await bench.configs.testConfig(id);
    expect(result.statusCode).toBe(404);
    const request = present(bench.calls[0], "the endpoint is called");
    expect(request.url).toBe(endpoint);
    const header = (name: string): string | null => request.headers.get(`formance-webhook-${name}`);
    expect(header("test")).toBe("true");
    expect(header("idempotency-key")).toBe("ik");
    const timestampSeconds = Number(header("timestamp"));
    const message = { id: webhookId, timestampSeconds, body: request.body };
    expect(Object.fromEntries(request.headers)).toMatchObject(
      signatureHeaders([new SigningSecret(secret)], message),
    );
    expect(await bench.deliveriesOf(id)).toEqual([]);
  });

  test("a test request for an unknown webhook config is not found", async () => {
    expect(await failureOf(webhooks.testConfig({ id: UNKNOWN_ID }))).toMatchObject({
      errorCode: "NOT_FOUND",
      statusCode: 404,
    });
  });
});

describe("test requests are limited", () => {
  /** A minute in which no other test sends requests. */
  let minuteMs = Date.parse("2026-03-01T12:00:00Z");

  /** Sends test requests side by side, `afterMs` after the minute began, and counts sent and refused ones. */
  async function send(ids: readonly string[], afterMs = 0) {
    let sent = 0;
    const clock = () => fromMillis(minuteMs + afterMs);
    const context = { ...systemContext(env, "test"), clock };
    const fetch: Fetch = async () => {
      sent++;
      return new Response();
    };
    const service = new WebhookService(context, { ...callContextOf(context), fetch });
    const results = await Promise.allSettled(ids.map((id) => service.testConfig(id)));
    const refusals = results.flatMap((result): unknown[] =>
      result.status === "rejected" ? [result.reason] : [],
    );
    return { sent, refusals };
  }

  test("requests to test a webhook are limited for each config and minute, also when they come at once", async () => {
    minuteMs += 60_000;
    const [one, other] = [await insert(), await insert()];
    const ids = Array.from({ length: TESTS_PER_MINUTE_MAX + 5 }, () => one.id);
    const { sent, refusals } = await send(ids, 20_500);
    expect([sent, refusals.length]).toEqual([TESTS_PER_MINUTE_MAX, 5]);
    expect(refusals[0]).toMatchObject({
      kind: "RATE_LIMITED",
      message: "a config can be tested 10 times a minute, and all configs together 100 times",
      retryAfterSeconds: 40,
    });
    expect(await send([other.id], 59_999)).toMatchObject({ sent: 1 });
    expect(await send([one.id], 60_000)).toMatchObject({ sent: 1 });
  });

  test("requests to test webhooks are limited for all configs together", async () => {
    minuteMs += 60_000;
    const count = ALL_TESTS_PER_MINUTE_MAX / TESTS_PER_MINUTE_MAX;
    const configs = await Promise.all(Array.from({ length: count }, () => insert()));
    for (const { id } of configs) {
      await send(Array.from({ length: TESTS_PER_MINUTE_MAX }, () => id));
    }
    const { id } = await insert();
    const { sent, refusals } = await send([id]);
    expect([sent, refusals.length]).toEqual([0, 1]);
    expect(await send([id], 60_000)).toMatchObject({ sent: 1 });
  });

  test("requests to test a webhook are limited with an error that the SDK knows and a header that says when to retry", async () => {
    const fetch = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response());
    onTestFinished(() => fetch.mockRestore()); // Other test files share the global `fetch`.
    const { id } = await insert();
    // At least one of these requests is beyond the limit, even if they fall into two minutes.
    const results = await Promise.allSettled(
      Array.from({ length: 2 * TESTS_PER_MINUTE_MAX + 1 }, () => webhooks.testConfig({ id })),
    );
    const refused = present(
      results.find((result) => result.status === "rejected"),
      "a test request is refused",
    );
    const error = await failureOf(Promise.reject(refused.reason));
    expect(error).toMatchObject({ statusCode: 429, errorCode: "VALIDATION" });
    expect(error.errorMessage).toMatch(/^\[VALIDATION\] a config can be tested 10 times a minute/);
    expect(Number(error.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(error.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });
});
