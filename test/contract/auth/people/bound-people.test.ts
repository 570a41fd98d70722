import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { clientWith, makeClient } from "#test/support/auth/clients.ts";
import { freshPerson } from "#test/support/auth/logins.ts";
import {
  acting,
  actingPerson,
  ALL_SCOPES,
  auditOf,
  INVITATIONS,
  invitedBy,
  openLink,
  type UserBody,
  urlOf,
  USERS,
  userOf,
} from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const SCOPES = ["ledger:read", "ledger:write", "auth:read", "auth:write"];
const BOUND = ["eu-*", "main"];

const put = (id: string, body: object, call: typeof api = api) =>
  call(`${USERS}/${id}`, { method: "PUT", body });

/** A person who is bound to ledgers, with a token for an application. */
async function boundPerson(scopes: readonly string[] = SCOPES) {
  const person = await freshPerson(...scopes);
  expect((await put(person.id, { scopes, ledgers: BOUND })).status).toBe(200);
  return { person, ...(await actingPerson(person)) };
}

describe("a person who is bound to ledgers", () => {
  test("the tokens of a bound person name the ledgers, and reach no other one", async () => {
    const { token, call } = await boundPerson();
    expect(decodeJwt(token)).toMatchObject({ ledgers: BOUND });
    const eu = freshName("eu-");
    expect((await call(`/api/ledger/v2/${eu}`, { method: "POST" })).status).toBe(204);
    const other = await call(`/api/ledger/v2/${freshName("us-")}`, { method: "POST" });
    expect(other.status).toBe(401);
    expect(other.headers.get("www-authenticate")).toContain("insufficient_scope");
    expect((await call("/api/auth/clients")).status).toBe(401);
  });

  test("a person whose binding ends gets tokens without it from then on", async () => {
    const { person } = await boundPerson();
    expect((await put(person.id, { scopes: SCOPES, ledgers: [] })).status).toBe(200);
    const { token } = await actingPerson(person);
    expect(decodeJwt(token)["ledgers"]).toBeUndefined();
  });

  test("a change of the scopes alone leaves the binding", async () => {
    const { person } = await boundPerson();
    await put(person.id, { scopes: ["ledger:read"] });
    expect(await userOf(person.id)).toMatchObject({ scopes: ["ledger:read"], ledgers: BOUND });
  });

  test("an invitation and a new user carry the ledgers", async () => {
    const email = `${freshName("eve")}@example.com`;
    const invitation = await api(INVITATIONS, { body: { email, scopes: SCOPES, ledgers: BOUND } });
    expect(await openLink(await urlOf(invitation))).toBe(true);
    const response = await api(USERS);
    const { data } = await response.json<{ data: UserBody[] }>();
    expect(data.find((user) => user.email === email)).toMatchObject({ ledgers: BOUND });
    const made = await api(USERS, {
      body: { email: `new-${email}`, scopes: SCOPES, ledgers: ["eu-*"] },
    });
    expect(await made.json()).toMatchObject({ data: { ledgers: ["eu-*"] } });
  });

  test.each([
    [["bad name"]],
    [["eu-**"]],
    [Array.from({ length: 21 }, (_, n) => `l${n}`)],
    ["eu-*"],
  ])("ledgers that are no patterns are refused: %j", async (ledgers) => {
    const { id } = await freshPerson("ledger:read");
    const response = await put(id, { scopes: ["ledger:read"], ledgers });
    expect(response.status).toBe(400);
    expect(await userOf(id)).toMatchObject({ ledgers: [] });
  });
});

describe("the authority over bindings", () => {
  test("a bound person with all scopes changes and reads no people", async () => {
    const { call, person } = await boundPerson(ALL_SCOPES);
    expect((await call(USERS)).status).toBe(401);
    expect((await put(person.id, { scopes: ALL_SCOPES, ledgers: [] }, call)).status).toBe(401);
  });

  test("a client that is bound to ledgers changes no people at all", async () => {
    const fields = { scopes: ALL_SCOPES, metadata: { ledgers: "eu-*" } };
    const { token } = await clientWith(fields);
    const call: typeof api = (path, init) => api(path, { ...init, token });
    const { person } = await boundPerson(["ledger:read"]);
    expect((await put(person.id, { scopes: ["ledger:read"] }, call)).status).toBe(401);
  });

  test("a binding with more scopes ends the password of a link whose maker could not have given the scopes", async () => {
    const weak = await acting(await makeClient({ scopes: ["auth:write", "ledger:read"] }));
    const person = await invitedBy(weak, ["ledger:read"]);
    await put(person.id, { scopes: ["ledger:read", "ledger:write"], ledgers: ["eu-*"] });
    expect(await userOf(person.id)).toMatchObject({ canLogIn: false });
    expect(await auditOf("auth.person.credentials.revoke", `users/${person.id}`)).toBe(1);
  });
});
