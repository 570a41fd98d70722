import { expect, test } from "vitest";
import {
  answerDevice,
  claimsOf,
  DEVICE_GRANT,
  type DeviceAnswer,
  passInterval,
} from "#test/support/auth/fctl.ts";
import { CHALLENGE, freshPerson, ISSUER } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { ask, post } from "#test/support/auth/token-requests.ts";
import { send } from "#test/support/platform/api.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const CLIENT = { client_id: "florin-cli" };

async function begin(scope: string): Promise<DeviceAnswer> {
  const answer = await post("/device_authorization", { ...CLIENT, scope });
  expect(answer.status).toBe(200);
  return answer.json<DeviceAnswer>();
}

const poll = ({ device_code: code }: DeviceAnswer) =>
  ask({ ...CLIENT, grant_type: DEVICE_GRANT, device_code: code });

const listLedgers = (token: string) =>
  send("/api/ledger/v2", { headers: { authorization: `Bearer ${token}` } });

test("the operators' command line logs a person in, renews the login, and ends it", async () => {
  const person = await freshPerson("ledger:read", "wallets:write");
  const device = await begin(
    "openid email offline_access ledger:read ledger:write wallets:read florin:operate none:such",
  );
  expect(await poll(device)).toMatchObject({ status: 400, error: "authorization_pending" });
  await answerDevice(new PageVisitor(), { device, person });
  await passInterval(device.device_code);
  const tokens = await poll(device);
  expect(tokens).toMatchObject({ status: 200, expires_in: 300 });
  expect(tokens.scope?.split(" ").toSorted()).toEqual([
    "email",
    "ledger:read",
    "offline_access",
    "openid",
    "wallets:read",
  ]);
  expect(claimsOf(tokens.access_token)).toMatchObject({
    iss: ISSUER,
    sub: person.id,
    client_id: "florin-cli",
  });
  expect((await listLedgers(tokens.access_token)).status).toBe(200);
  const renewal = {
    ...CLIENT,
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token ?? "",
  };
  const renewed = await ask(renewal);
  expect(renewed).toMatchObject({ status: 200, scope: tokens.scope });
  await post("/revoke", { ...CLIENT, token: renewed.refresh_token ?? "" });
  expect(await ask({ ...renewal, refresh_token: renewed.refresh_token ?? "" })).toMatchObject({
    status: 400,
  });
});

test("a person who refuses the command line leaves it without a login", async () => {
  const person = await freshPerson("ledger:read");
  const device = await begin("openid ledger:read");
  await answerDevice(new PageVisitor(), { device, person, answer: "refuse" });
  expect(await poll(device)).toMatchObject({ status: 400, error: "access_denied" });
});

test("no code of the command line's client goes to a redirect URI", async () => {
  const query = new URLSearchParams({
    ...CLIENT,
    redirect_uri: "http://127.0.0.1:8484/callback",
    response_type: "code",
    scope: "openid",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  const answer = await new PageVisitor().get(`/api/auth/authorize?${query.toString()}`);
  expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
});

test("the command line's client is none where the settings turn device logins off", async () => {
  const off = isolate({ FLORIN_DEVICE_LOGINS: "off" });
  const body = new URLSearchParams({ ...CLIENT, scope: "openid" });
  const answer = await off("/api/auth/device_authorization", { method: "POST", body });
  expect([answer.status, await answer.json()]).toEqual([
    401,
    expect.objectContaining({ error: "invalid_client" }),
  ]);
});
