import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { authorizeUrl, freshApp, freshPerson, logIn, VERIFIER } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { EXPORTERS } from "#test/support/exporters/pipelines.ts";
import { newTrigger, newWorkflow, TRIGGERS } from "#test/support/orchestration/triggers.ts";
import { installDummypay } from "#test/support/payments/installs.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { withFullDatabase } from "#test/support/platform/full-database.ts";
import { insert as insertWebhook } from "#test/support/webhooks/configs.ts";

const send = withFullDatabase();

vi.spyOn(console, "error").mockReturnValue(undefined);
vi.spyOn(console, "warn").mockReturnValue(undefined);

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  return send(path, { ...init, headers: { authorization: `Bearer ${await token()}` } });
}

/** The id of something that was made, while there was room. */
async function idOf(path: string, body: object): Promise<string> {
  const { data } = await (await api(path, { body })).json<{ data: { id: string } | string }>();
  return typeof data === "string" ? data : data.id;
}

/** What can be deleted: its path, and the action of the entry in the audit. */
const DELETIONS: Readonly<Record<string, () => Promise<{ path: string; action: string }>>> = {
  "a connector": async () => ({
    path: `/api/payments/v3/connectors/${await installDummypay()}`,
    action: "payments.connector.uninstall",
  }),
  "a pool": async () => ({
    path: `/api/payments/v3/pools/${await idOf("/api/payments/v3/pools", { name: freshName(), query: { $match: { id: "none" } } })}`,
    action: "payments.pool.delete",
  }),
  "a webhook config": async () => ({
    path: `/api/webhooks/configs/${(await insertWebhook()).id}`,
    action: "webhooks.config.delete",
  }),
  "a workflow": async () => ({
    path: `/api/orchestration/v2/workflows/${await newWorkflow()}`,
    action: "orchestration.workflow.delete",
  }),
  "a trigger": async () => ({
    path: `${TRIGGERS}/${(await newTrigger()).id}`,
    action: "orchestration.trigger.delete",
  }),
  "an exporter": async () => ({
    path: `${EXPORTERS}/${await idOf(EXPORTERS, { driver: "noop", config: {} })}`,
    action: "exporters.exporter.delete",
  }),
  "a bucket": async () => {
    const bucket = freshName("bucket");
    await api(`/api/ledger/v2/${freshName()}`, { body: { bucket } });
    return { path: `/api/ledger/v2/_/buckets/${bucket}`, action: "ledger.bucket.delete" };
  },
  "a client": async () => ({
    path: `/api/auth/clients/${(await freshApp()).id}`,
    action: "auth.client.delete",
  }),
  "a person": async () => ({
    path: `/api/florin/v1/users/${(await freshPerson("ledger:read")).id}`,
    action: "auth.person.delete",
  }),
};

test.each(Object.entries(DELETIONS))(
  "%s can be deleted where the database is full, and the audit tells of it",
  async (_, make) => {
    const { path, action } = await make();
    const entries = async () =>
      (await env.DB.prepare("SELECT 1 FROM audit WHERE action = ?").bind(action).all()).results
        .length;
    const before = await entries();
    const answer = await call(path, { method: "DELETE" });
    expect([answer.status, await answer.text()]).toEqual([
      expect.toBeOneOf([200, 202, 204]),
      expect.any(String),
    ]);
    expect(await entries()).toBe(before + 1);
  },
);

test("what adds something is refused with 507 where the database is full", async () => {
  const body = JSON.stringify({ driver: "noop", config: {} });
  expect((await call(EXPORTERS, { method: "POST", body })).status).toBe(507);
});

test("people log in, get tokens, refresh and revoke them where the database is full", async () => {
  const person = await freshPerson("ledger:read");
  const app = await freshApp();
  const visitor = new PageVisitor(send);
  const url = authorizeUrl(app, { scope: "openid offline_access ledger:read" });
  const code = (await logIn(visitor, url, person)).searchParams.get("code") ?? "";
  const ask = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: app.id, ...form });
    const answer = await send(`/api/auth/${path}`, { method: "POST", body });
    return { status: answer.status, text: await answer.text() };
  };
  const tokens = async (form: Record<string, string>) => {
    const { status, text } = await ask("oauth/token", form);
    expect([status, text]).toEqual([200, text]);
    return JSON.parse(text) as { access_token: string; refresh_token: string }; // as RFC 6749 says
  };
  const first = await tokens({
    grant_type: "authorization_code",
    code,
    redirect_uri: app.redirectUri,
    code_verifier: VERIFIER,
  });
  const second = await tokens({
    grant_type: "refresh_token",
    refresh_token: first.refresh_token,
  });
  const read = await send("/api/ledger/v2", {
    headers: { authorization: `Bearer ${second.access_token}` },
  });
  expect(read.status).toBe(200);
  expect(await ask("revoke", { token: second.access_token })).toMatchObject({ status: 200 });
});
