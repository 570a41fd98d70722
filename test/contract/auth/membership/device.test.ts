import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DEVICE_CODE_LIFETIME_MS } from "#modules/auth/grants/device-code-store.ts";
import { FRESH_MS_MAX } from "#modules/auth/pages/fresh-login.ts";
import { purgeGrants } from "#modules/auth/retention/purge-grants.ts";
import { systemContext } from "#platform/context.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import {
  answerDevice,
  BEARER_GRANT,
  beginDevice,
  claimsOf,
  DEVICE_GRANT,
  type DeviceAnswer,
  loginFctl,
  membership,
  openDevicePage,
  passInterval,
  poll,
  STACK,
} from "#test/support/auth/fctl.ts";
import { freshPerson, ISSUER, nextOf } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { ask, post } from "#test/support/auth/token-requests.ts";
import { api } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

/** Moves a time of a device code, in milliseconds from now. */
const moveDevice = (device: DeviceAnswer, column: string, ms: number) =>
  env.DB.prepare(`UPDATE auth_device_codes SET ${column} = ? WHERE user_code = ?`)
    .bind(Date.now() + ms, device.user_code.replace("-", ""))
    .run();

const nextPollOf = ({ user_code: code }: DeviceAnswer): Promise<number | null> =>
  env.DB.prepare("SELECT next_poll_ms FROM auth_device_codes WHERE user_code = ?")
    .bind(code.replace("-", ""))
    .first<number>("next_poll_ms");

const ROOT = { scope: "openid offline_access", prompt: "no-org" };

test("a device gets codes, waits, and gets tokens once when the person has allowed it", async () => {
  const person = await freshPerson("ledger:read");
  const device = await beginDevice(ROOT);
  expect(device).toMatchObject({ interval: 5, expires_in: 600 });
  expect(device.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
  expect(device.verification_uri).toBe(`${ISSUER}/device`);
  expect(await poll(device.device_code)).toEqual({ status: 400, error: "authorization_pending" });
  expect(await poll(device.device_code)).toEqual({ status: 400, error: "slow_down" });
  const done = await answerDevice(new PageVisitor(), { device, person });
  expect(await done.text()).toContain("The device is logged in");
  await passInterval(device.device_code);
  const tokens = await poll(device.device_code);
  expect(tokens).toMatchObject({ status: 200, token_type: "Bearer", expires_in: 604_800 });
  const next = { grant_type: "refresh_token", client_id: "fctl" };
  await moveDevice(device, "redeemed_ms", -30_000);
  const again = await poll(device.device_code);
  expect(again).toMatchObject({ status: 400, error: "invalid_grant" });
  // The replay has ended what the device code gave.
  const refused = await ask({ ...next, refresh_token: tokens.refresh_token ?? "" });
  expect(refused).toMatchObject({ status: 400, error: "invalid_request" });
});

test("a device whose answer was lost gets another login, and the first one ends", async () => {
  const person = await freshPerson("ledger:read");
  const device = await beginDevice(ROOT);
  await answerDevice(new PageVisitor(), { device, person });
  const lost = await poll(device.device_code);
  expect(await poll(device.device_code)).toMatchObject({ status: 400, error: "slow_down" });
  await passInterval(device.device_code);
  const answers = await Promise.all([1, 2, 3].map(() => poll(device.device_code)));
  const tokens = answers.find(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const next = { grant_type: "refresh_token", client_id: "fctl" };
  const ended = await ask({ ...next, refresh_token: lost.refresh_token ?? "" });
  expect(ended).toMatchObject({ status: 400, error: "invalid_request" });
  expect((await membership("/userinfo", lost.access_token)).status).toBe(401);
  expect((await membership("/userinfo", tokens?.access_token ?? "")).status).toBe(200);
  // A login that was ended is not begun again.
  await post("/revoke", { token: tokens?.refresh_token ?? "", client_id: "fctl" });
  await passInterval(device.device_code);
  expect(await poll(device.device_code)).toMatchObject({ status: 400, error: "invalid_grant" });
});

test("somebody who presses a button twice sees the same page, and has guessed nothing", async () => {
  const person = await freshPerson();
  const visitor = new PageVisitor();
  for (const [answer, title] of [
    ["allow", "The device is logged in"],
    ["refuse", "The device is refused"],
  ] as const) {
    const device = await beginDevice(ROOT);
    await openDevicePage(visitor, device, person);
    const form = { user_code: device.user_code, answer };
    const press = async () => (await visitor.post("/api/auth/device", form)).text();
    for (const page of await Promise.all([press(), press()])) expect(page).toContain(title);
    for (let times = 0; times < 11; times++) expect(await press()).toContain(title);
    const other = new PageVisitor();
    await openDevicePage(other, device, await freshPerson());
    expect((await other.post("/api/auth/device", form)).status).toBe(404);
  }
});

test("a device waits no longer than the interval if the clock is set back, and its code ends", async () => {
  const device = await beginDevice(ROOT);
  expect(await poll(device.device_code)).toMatchObject({ error: "authorization_pending" });
  expect(await poll(device.device_code)).toMatchObject({ error: "slow_down" });
  await moveDevice(device, "next_poll_ms", 3_600_000);
  expect(await poll(device.device_code)).toMatchObject({ error: "authorization_pending" });
  await moveDevice(device, "created_ms", 5 * 60_000);
  const person = await freshPerson();
  const page = await openDevicePage(new PageVisitor(), device, person);
  expect(await page.text()).toContain("at a time that is not known");
  await moveDevice(device, "created_ms", 3_600_000);
  expect(await poll(device.device_code)).toEqual({ status: 400, error: "expired_token" });
  expect((await openDevicePage(new PageVisitor(), device, person)).status).toBe(404);
});

test("a device that does not wait is stopped, and stores nothing", async () => {
  const { id } = await makeClient({ public: true, metadata: { deviceLogin: "true" } });
  const asked = await post("/device_authorization", { scope: "openid", client_id: id });
  const device = await asked.json<DeviceAnswer>();
  const form = { grant_type: DEVICE_GRANT, device_code: device.device_code, client_id: id };
  await moveDevice(device, "next_poll_ms", 4000);
  const before = await nextPollOf(device);
  expect(await ask(form)).toMatchObject({ error: "slow_down" });
  expect(await nextPollOf(device)).toBe(before);
  const polls = await Promise.all(Array.from({ length: 120 }, () => ask(form)));
  expect(polls.map(({ status }) => status)).toContain(429);
});

test("of two polls at the same time, one gets the tokens", async () => {
  const person = await freshPerson();
  const device = await beginDevice(ROOT);
  await answerDevice(new PageVisitor(), { device, person });
  const answers = await Promise.all([1, 2, 3].map(() => poll(device.device_code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a device that the person refuses, or that is too late, or of another client, gets nothing", async () => {
  const person = await freshPerson();
  const device = await beginDevice(ROOT);
  const page = await answerDevice(new PageVisitor(), { device, person, answer: "refuse" });
  expect(await page.text()).toContain("The device is refused");
  expect(await poll(device.device_code)).toEqual({ status: 400, error: "access_denied" });

  const late = await beginDevice(ROOT);
  await moveDevice(late, "created_ms", -DEVICE_CODE_LIFETIME_MS);
  // The device asks after the sweep, and hears that its code has expired.
  await purgeGrants(systemContext(env, "test"));
  expect(await poll(late.device_code)).toEqual({ status: 400, error: "expired_token" });
  const visitor = new PageVisitor();
  const gone = await openDevicePage(visitor, late, person);
  expect(gone.status).toBe(404);

  const { id } = await makeClient({ public: true, metadata: { deviceLogin: "true" } });
  const other = await beginDevice(ROOT);
  const form = { grant_type: DEVICE_GRANT, device_code: other.device_code, client_id: id };
  expect(await ask(form)).toMatchObject({ status: 400, error: "invalid_grant" });
  expect(await poll("")).toMatchObject({ status: 400, error: "invalid_request" });
  expect(await poll("unknown")).toMatchObject({ status: 400, error: "invalid_grant" });
});

test("a client of one's own gets tokens of the API, if its metadata allows device logins", async () => {
  const scopes = ["ledger:read", "ledger:write"];
  const closed = await makeClient({ public: true, scopes });
  const form = { scope: "openid ledger:read payments:read" };
  const refused = await post("/device_authorization", { ...form, client_id: closed.id });
  expect(await refused.json()).toMatchObject({ error: "unauthorized_client" });

  const { id } = await makeClient({ public: true, scopes, metadata: { deviceLogin: "true" } });
  const asked = await post("/device_authorization", { ...form, client_id: id });
  const device = await asked.json<DeviceAnswer>();
  const person = await freshPerson("ledger:read", "payments:read");
  await answerDevice(new PageVisitor(), { device, person });
  const code = { device_code: device.device_code, client_id: id };
  const tokens = await ask({ grant_type: DEVICE_GRANT, ...code });
  expect(tokens.scope).toBe("openid ledger:read");
  expect(claimsOf(tokens.access_token)).toMatchObject({ iss: ISSUER, sub: person.id });
  const read = await api("/api/ledger/v2", { token: tokens.access_token });
  expect(read.status).toBe(200);
  const stack = { ...form, client_id: id, resource: "stack://florin/main|stack:Read" };
  const target = await post("/device_authorization", stack);
  expect(await target.json()).toMatchObject({ error: "invalid_target" });
});

test("a person who lost scopes between the approval and the poll does not give them", async () => {
  const { id } = await makeClient({
    public: true,
    scopes: ["ledger:read", "payments:read"],
    metadata: { deviceLogin: "true" },
  });
  const asked = await post("/device_authorization", {
    client_id: id,
    scope: "openid ledger:read payments:read",
  });
  const device = await asked.json<DeviceAnswer>();
  const person = await freshPerson("ledger:read", "payments:read");
  await answerDevice(new PageVisitor(), { device, person });
  const lost = await api(`/api/florin/v1/users/${person.id}`, {
    method: "PUT",
    body: { scopes: ["payments:read"] },
  });
  expect(lost.status).toBe(200);
  const code = { device_code: device.device_code, client_id: id };
  const tokens = await ask({ grant_type: DEVICE_GRANT, ...code });
  expect(tokens.scope).toBe("openid payments:read");
});

test("a person who is deleted after the approval gives nothing", async () => {
  const person = await freshPerson("ledger:read");
  const device = await beginDevice(ROOT);
  await answerDevice(new PageVisitor(), { device, person });
  await api(`/api/florin/v1/users/${person.id}`, { method: "DELETE" });
  expect(await poll(device.device_code)).toMatchObject({ status: 400, error: "invalid_grant" });
});

test("the page shows what asks for what, and a form of another site does nothing", async () => {
  const person = await freshPerson("ledger:write");
  const resource = "stack://florin/main|stack:Read stack:Write";
  const device = await beginDevice({ scope: "openid", organization_id: "florin", resource });
  const visitor = new PageVisitor();
  const shown = await openDevicePage(visitor, device, person);
  const text = await shown.text();
  for (const part of ["fctl", device.user_code, person.email, "ledger:read", "ledger:write"]) {
    expect(text).toContain(part);
  }
  expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  const form = { user_code: device.user_code, answer: "allow" };
  const foreign = { origin: "https://evil.example.com", "sec-fetch-site": "cross-site" };
  expect((await visitor.post("/api/auth/device", form, foreign)).status).toBe(403);
  expect(await poll(device.device_code)).toMatchObject({ error: "authorization_pending" });
  // Without a session, the form leads to a login.
  const stranger = await new PageVisitor().post("/api/auth/device", form);
  expect(await nextOf(stranger)).toContain("/api/auth/login");
  await passInterval(device.device_code);
  expect(await poll(device.device_code)).toMatchObject({ error: "authorization_pending" });
});

test("somebody who types codes is stopped after ten wrong ones in a minute", async () => {
  const person = await freshPerson();
  const visitor = new PageVisitor();
  const device = await beginDevice(ROOT);
  await openDevicePage(visitor, device, person);
  const statuses: number[] = [];
  for (let guess = 0; guess < 11; guess++) {
    const page = await visitor.get("/api/auth/device?user_code=BBBB-BBBB");
    statuses.push(page.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429]);
  // The right code is refused as well, so that nobody learns that it is one.
  const right = await visitor.get(`/api/auth/device?user_code=${device.user_code}`);
  expect(right.status).toBe(429);
});

test("an ID token names the only person who may answer, also past its end", async () => {
  const [ada, eve] = await Promise.all([freshPerson("ledger:read"), freshPerson("ledger:read")]);
  const { id_token: hint } = await loginFctl(ada);
  const device = await beginDevice({ ...ROOT, id_token_hint: hint });
  const visitor = new PageVisitor();
  const page = await openDevicePage(visitor, device, eve);
  expect(page.status).toBe(403);
  const form = { user_code: device.user_code, answer: "allow" };
  expect((await visitor.post("/api/auth/device", form)).status).toBe(403);
  expect(await poll(device.device_code)).toMatchObject({ error: "authorization_pending" });
  // The hint itself has approved nothing; the person whom it names has to.
  await answerDevice(new PageVisitor(), { device, person: ada });
  await passInterval(device.device_code);
  expect(await poll(device.device_code)).toMatchObject({ status: 200 });
});

test("the logins of an operator's own client that had the id of the command line end with the upgrade", async () => {
  const person = await freshPerson("ledger:read");
  const { refresh_token: refresh } = await loginFctl(person);
  // As if the grant had been given to a client of an earlier release.
  await env.DB.prepare("UPDATE auth_grants SET membership = NULL WHERE subject = ?")
    .bind(person.id)
    .run();
  const next = { grant_type: "refresh_token", client_id: "fctl", refresh_token: refresh };
  expect(await ask(next)).toMatchObject({ status: 400, error: "invalid_request" });
  const code = { grant_type: "authorization_code", client_id: "fctl", code: "any" };
  expect(await ask(code)).toMatchObject({ status: 400, error: "unauthorized_client" });
});

test("a client that may log in no devices any more gets nothing for a device code", async () => {
  const fields = { public: true, scopes: ["ledger:read"] };
  const { id } = await makeClient({ ...fields, metadata: { deviceLogin: "true" } });
  const form = { scope: "openid ledger:read", client_id: id };
  const device = await (await post("/device_authorization", form)).json<DeviceAnswer>();
  await answerDevice(new PageVisitor(), { device, person: await freshPerson("ledger:read") });
  const set = (deviceLogin: string) =>
    api(`/api/auth/clients/${id}`, {
      method: "PUT",
      body: { name: id, ...fields, metadata: { deviceLogin } },
    });
  expect((await set("yes")).status).toBe(400);
  expect((await set("false")).status).toBe(200);
  const refused = await ask({
    grant_type: DEVICE_GRANT,
    device_code: device.device_code,
    client_id: id,
  });
  expect(refused).toMatchObject({ status: 400, error: "unauthorized_client" });
});

test("the page says how long a device stays logged in, and which ledgers it and the person reach", async () => {
  const person = await freshPerson("ledger:read");
  const bind = (ledgers: readonly string[]) =>
    api(`/api/florin/v1/users/${person.id}`, {
      method: "PUT",
      body: { scopes: ["ledger:read"], ledgers },
    });
  const { id } = await makeClient({
    public: true,
    scopes: ["ledger:read"],
    metadata: { deviceLogin: "true", ledgers: "eu-*, us-*" },
  });
  const visitor = new PageVisitor();
  const shown = async (scope: string) => {
    const asked = await post("/device_authorization", { client_id: id, scope });
    return (await openDevicePage(visitor, await asked.json<DeviceAnswer>(), person)).text();
  };
  await bind(["eu-books", "main"]);
  const staying = await shown("openid offline_access ledger:read");
  expect(staying).toContain("in the ledgers eu-books:");
  expect(staying).toContain("stays logged in until it was not used for 7 days");
  await bind(["main"]);
  const bound = await shown("openid ledger:read");
  expect(bound).toContain("bound to other ledgers");
  expect(bound).not.toContain("stays logged in");
});

test("a device that would manage access needs a person who has just logged in", async () => {
  const person = await freshPerson("auth:write");
  const resource = "stack://florin/main|stack:Read stack:Write";
  const device = await beginDevice({ scope: "openid", organization_id: "florin", resource });
  const visitor = new PageVisitor();
  expect((await openDevicePage(visitor, device, person)).status).toBe(200);
  const early = new Date(Date.now() - FRESH_MS_MAX - 1000).toISOString();
  await env.DB.prepare("UPDATE auth_sessions SET authenticated_at = ? WHERE person_id = ?")
    .bind(early, person.id)
    .run();
  const form = { user_code: device.user_code, answer: "allow" };
  for (const page of [
    await visitor.get(`/api/auth/device?user_code=${device.user_code}`),
    await visitor.post("/api/auth/device", form),
  ]) {
    expect([page.status, await page.text()]).toEqual([
      401,
      expect.stringContaining("Log in again") as unknown,
    ]);
  }
  expect(await poll(device.device_code, resource)).toMatchObject({
    error: "authorization_pending",
  });
  // Who logs in again comes back to the code.
  const login = await nextOf(await visitor.post("/api/auth/device", { ...form, answer: "again" }));
  const request = new URL(login).searchParams.get("request") ?? "";
  const again = await visitor.post("/api/auth/login", { ...person, request });
  const back = await visitor.get(await nextOf(again));
  expect(back.headers.get("location")).toContain(device.user_code.replace("-", ""));
  const done = await visitor.post("/api/auth/device", form);
  expect(await done.text()).toContain("The device is logged in");
});

test("the command line's logins end, and none begins, where the settings turn them off", async () => {
  const person = await freshPerson("ledger:read");
  const root = await loginFctl(person);
  const stack = await loginFctl(person, { resource: STACK });
  const off = isolate({ FLORIN_DEVICE_LOGINS: "off" });
  const send = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams(form);
    const answer = await off(`/api/auth${path}`, { method: "POST", body });
    return [answer.status, (await answer.json<{ error: string }>()).error];
  };
  const client = { client_id: "fctl" };
  const refused = [401, "invalid_client"];
  expect(await send("/device_authorization", { ...client, scope: "openid" })).toEqual(refused);
  const refresh = { grant_type: "refresh_token", refresh_token: root.refresh_token };
  expect(await send("/oauth/token", { ...client, ...refresh })).toEqual(refused);
  const assertion = { grant_type: BEARER_GRANT, assertion: stack.access_token };
  expect(await send("/oauth/token", assertion)).toEqual([400, "invalid_grant"]);
  const authorization = `Bearer ${root.access_token}`;
  const user = await off("/userinfo", { headers: { authorization } });
  expect(user.status).toBe(401);
});
