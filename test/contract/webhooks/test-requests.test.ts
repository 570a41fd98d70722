import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { WebhookService } from "#modules/webhooks/index.ts";
import { signatureHeaders } from "#modules/webhooks/signature.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { Fetch } from "#platform/http/outbound.ts";
import { api, bodyOf } from "#test/support/platform/api.ts";
import { UNKNOWN_ID, UUID, webhooks, insert, failureOf } from "#test/support/webhooks/configs.ts";

describe("test request", () => {
  test("reports that nobody answers at the endpoint", async () => {
    // Nobody listens on this port of the loopback interface, which the test settings allow.
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

  test("is signed, and works for an inactive config without leaving a trace", async () => {
    const { id, secret, endpoint } = await insert();
    await webhooks.deactivateConfig({ id });
    const requests: Request[] = [];
    const fetch: Fetch = async (url, init) => {
      requests.push(new Request(url, init));
      return new Response(null, { status: 404 });
    };
    const { result, webhookId } = await WebhookService.from(systemContext(env, "test"), {
      fetch,
    }).testConfig(id);
    expect(result.statusCode).toBe(404);
    const request = present(requests[0], "the endpoint is called");
    expect(request.url).toBe(endpoint);
    const header = (name: string): string | null => request.headers.get(`formance-webhook-${name}`);
    expect(header("test")).toBe("true");
    expect(header("idempotency-key")).toBe("ik");
    expect(header("id")).toBe(webhookId);
    const timestampSeconds = Number(header("timestamp"));
    const message = { id: webhookId, timestampSeconds, body: await request.text() };
    expect(Object.fromEntries(request.headers)).toMatchObject(signatureHeaders([secret], message));
    const stored = env.DB.prepare("SELECT count(*) AS n FROM webhook_deliveries");
    expect(await stored.first("n")).toBe(0);
  });

  test("does not know an unknown config", async () => {
    expect(await failureOf(webhooks.testConfig({ id: UNKNOWN_ID }))).toMatchObject({
      errorCode: "NOT_FOUND",
      statusCode: 404,
    });
  });
});
