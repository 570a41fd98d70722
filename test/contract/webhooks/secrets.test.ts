import { env } from "cloudflare:workers";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { callContextOf } from "#modules/webhooks/calls/call.ts";
import { SigningSecret } from "#modules/webhooks/calls/signature.ts";
import { WebhookService } from "#modules/webhooks/index.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import type { Fetch } from "#platform/http/outbound.ts";
import { fromMillis } from "#platform/time.ts";
import { api } from "#test/support/platform/api.ts";
import { EVENT_TYPES, freshEndpoint, insert, webhooks } from "#test/support/webhooks/configs.ts";

const HOUR_MS = 3_600_000;
const [B, C, D] = ["b", "c", "d"].map((letter) => btoa(letter.repeat(24))) as [
  string,
  string,
  string,
]; // one secret for each letter

/** A request that an endpoint received. */
interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The service with a clock that is `agoMs` behind, and the requests that it has sent. */
function serviceAgo(agoMs: number): { service: WebhookService; received: Received[] } {
  const received: Received[] = [];
  const clock = () => fromMillis(Date.now() - agoMs);
  const context = { ...systemContext(env, "test"), clock };
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    received.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
    return new Response();
  };
  const service = new WebhookService(context, { ...callContextOf(context), fetch });
  return { service, received };
}

/** The request that the endpoint of a config gets now. */
async function receive(id: string): Promise<Received> {
  const { service, received } = serviceAgo(0);
  await service.testConfig(id);
  return present(received[0], "the endpoint is called");
}

/** Asserts that the secrets have signed a request, in their order and in both schemes. */
function assertSignedBy(secrets: readonly string[], { headers, body }: Received): void {
  const id = headers["formance-webhook-id"] ?? "";
  const timestampSeconds = Number(headers["formance-webhook-timestamp"]);
  const message = { id, timestampSeconds, body };
  const signatures = secrets.map((secret) => new SigningSecret(secret).sign(message));
  expect(headers["formance-webhook-signature"]).toBe(
    signatures.map(({ reference }) => reference).join(" "),
  );
  expect(headers["webhook-signature"]?.split(" ")).toHaveLength(secrets.length);
  for (const secret of secrets) {
    expect(new Webhook(`whsec_${secret}`).verify(body, headers)).toEqual({ data: "test" });
  }
}

/** Changes the secret through the API, with a member that the SDK lacks. */
const changeNow = (id: string, body: { secret?: string; immediate?: unknown }): Promise<Response> =>
  api(`/api/webhooks/configs/${id}/secret/change`, { method: "PUT", body });

describe("a secret that was changed with the SDK", () => {
  test("a secret that was changed with the SDK signs next to the new one", async () => {
    const { id, secret } = await insert();
    assertSignedBy([secret], await receive(id));
    await webhooks.changeConfigSecret({ id, configChangeSecret: { secret: B } });
    const received = await receive(id);
    assertSignedBy([B, secret], received);
    expect(() => new Webhook(C).verify(received.body, received.headers)).toThrow(
      WebhookVerificationError,
    );
  });

  test("a secret that was changed with the SDK signs next to the one that an update makes or brings", async () => {
    const { id, secret } = await insert();
    const configUser = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES };
    await webhooks.updateConfig({ id, configUser: { ...configUser, secret: B } });
    assertSignedBy([B, secret], await receive(id));
    await webhooks.updateConfig({ id, configUser });
    const { configsResponse } = await webhooks.getManyConfigs({ id });
    const made = present(configsResponse?.cursor.data[0], "the config is there").secret;
    assertSignedBy([made, B, secret], await receive(id));
  });

  test("a secret that was changed with the SDK stays alone when it is sent again", async () => {
    const { id, secret } = await insert();
    const answer = await webhooks.changeConfigSecret({ id, configChangeSecret: { secret } });
    const [config] = present(
      (await webhooks.getManyConfigs({ id })).configsResponse,
      "a success has a body",
    ).cursor.data;
    expect(answer.configResponse?.data).toEqual(config);
    expect(config?.updatedAt).toEqual(config?.createdAt);
    const configUser = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES, secret };
    await webhooks.updateConfig({ id, configUser });
    assertSignedBy([secret], await receive(id));
  });
});

describe("an old secret", () => {
  test("an old secret of a webhook signs for a day", async () => {
    const { id, secret } = await insert();
    await serviceAgo(25 * HOUR_MS).service.changeSecret(id, { secret: B });
    await serviceAgo(23 * HOUR_MS).service.changeSecret(id, { secret: C });
    await serviceAgo(1 * HOUR_MS).service.changeSecret(id, { secret: D });
    const { headers, body } = await receive(id);
    assertSignedBy([D, C, B], { headers, body });
    expect(() => new Webhook(secret).verify(body, headers)).toThrow(WebhookVerificationError);
  });

  test("an old secret of a webhook ends at once when an immediate change says so", async () => {
    const { id } = await insert();
    await changeNow(id, { secret: B });
    expect((await changeNow(id, { secret: C, immediate: true })).status).toBe(200);
    assertSignedBy([C], await receive(id));
  });

  test("an old secret of a webhook ends at once when an immediate update says so", async () => {
    const { id } = await insert();
    const body = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES, secret: B, immediate: true };
    const response = await api(`/api/webhooks/configs/${id}`, { method: "PUT", body });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    assertSignedBy([B], await receive(id));
  });

  test("an old secret of a webhook ends by an immediate change to the secret that is there", async () => {
    const { id } = await insert();
    await changeNow(id, { secret: B });
    await changeNow(id, { secret: B, immediate: true });
    assertSignedBy([B], await receive(id));
  });

  test("an old secret of a webhook is kept where the change is not immediate", async () => {
    const { id, secret } = await insert();
    await changeNow(id, { secret: B, immediate: false });
    assertSignedBy([B, secret], await receive(id));
  });

  test("an old secret of a webhook is not lost between two changes at the same time", async () => {
    const { id, secret } = await insert();
    await Promise.all([changeNow(id, { secret: B }), changeNow(id, { secret: C })]);
    const { configsResponse } = await webhooks.getManyConfigs({ id });
    const last = configsResponse?.cursor.data[0]?.secret === B ? [B, C] : [C, B];
    assertSignedBy([...last, secret], await receive(id));
  });

  test("an old secret of a webhook is not readable in the database", async () => {
    const { id, secret } = await insert();
    await changeNow(id, { secret: B });
    const row = await env.DB.prepare("SELECT * FROM webhook_configs WHERE id = ?").bind(id).first();
    expect(row).toHaveProperty("previous_secrets", expect.stringMatching(/^v1\./));
    expect(JSON.stringify(row)).not.toContain(secret);
  });
});

test("a config whose secrets were encrypted with a lost key works again after a change", async () => {
  const { id } = await insert();
  await changeNow(id, { secret: B });
  const lost = "v1.000000000000.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  await env.DB.prepare("UPDATE webhook_configs SET secret = ?, previous_secrets = ? WHERE id = ?")
    .bind(lost, lost, id)
    .run();
  expect((await changeNow(id, { secret: C })).status).toBe(200);
  assertSignedBy([C], await receive(id));
});

describe("refused", () => {
  test.each([["yes"], [1], [null]])("the word %j for immediate is refused", async (immediate) => {
    const { id, secret } = await insert();
    const response = await changeNow(id, { secret: B, immediate });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/"VALIDATION".*'immediate'/);
    assertSignedBy([secret], await receive(id));
  });

  test("an immediate creation of a webhook, which has no old secret to end, is refused", async () => {
    const body = { endpoint: freshEndpoint(), eventTypes: EVENT_TYPES, immediate: true };
    const response = await api("/api/webhooks/configs", { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("unknown field immediate");
  });
});
