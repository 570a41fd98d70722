import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { freshPerson, type TestPerson } from "#test/support/auth/logins.ts";
import { storePerson } from "#test/support/auth/people.ts";
import {
  acting,
  actingPerson,
  ALL_SCOPES,
  CLIENTS,
  setScopes,
  userOf,
  USERS,
} from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const administrators = async (): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM auth_people WHERE has_all_scopes").first("n")) ??
  0;

/** Each test begins without people. */
afterEach(() => env.DB.prepare("DELETE FROM auth_people").run());

const remove = (call: typeof api, { id }: { id: string }) =>
  call(`${USERS}/${id}`, { method: "DELETE" });
const weaken = (call: typeof api, { id }: { id: string }, scopes: readonly string[] = []) =>
  call(`${USERS}/${id}`, { method: "PUT", body: { scopes } });

/** The outcome of a change of the last administrator: the answer, and the person after the change. */
async function outcomeOf(response: Promise<Response>, { id }: TestPerson) {
  const answer = await response;
  return { status: answer.status, text: await answer.text(), user: await userOf(id) };
}

const REFUSED = {
  status: 400,
  text: expect.stringContaining("is the last administrator") as string,
  user: { scopes: ALL_SCOPES, canLogIn: true },
};

describe("the last administrator", () => {
  test("the last administrator neither deletes nor weakens themselves", async () => {
    const ada = await freshPerson(...ALL_SCOPES);
    const { call } = await actingPerson(ada);
    expect(await outcomeOf(remove(call, ada), ada)).toMatchObject(REFUSED);
    expect(await outcomeOf(weaken(call, ada), ada)).toMatchObject(REFUSED);
    const without = ALL_SCOPES.filter((scope) => scope !== "ledger:write");
    expect(await outcomeOf(weaken(call, ada, without), ada)).toMatchObject(REFUSED);
  });

  test("the last administrator is bound to no ledgers: neither by themselves, nor does a bound person count", async () => {
    const ada = await freshPerson(...ALL_SCOPES);
    const bound = await freshPerson(...ALL_SCOPES);
    const bind = (call: typeof api, { id }: { id: string }) =>
      call(`${USERS}/${id}`, { method: "PUT", body: { scopes: ALL_SCOPES, ledgers: ["eu-*"] } });
    expect((await bind(api, bound)).status).toBe(200);
    const { call } = await actingPerson(ada);
    expect(await outcomeOf(bind(call, ada), ada)).toMatchObject(REFUSED);
    expect(await outcomeOf(remove(call, ada), ada)).toMatchObject(REFUSED);
  });

  test("the last administrator is not removed by a client that the administrator has made for it", async () => {
    const ada = await freshPerson(...ALL_SCOPES);
    const { call } = await actingPerson(ada);
    const id = freshName("puppet");
    expect((await call(CLIENTS, { body: { id, name: "n", scopes: ALL_SCOPES } })).status).toBe(201);
    const made = await call(`${CLIENTS}/${id}/secrets`, { body: { name: "s" } });
    const { data } = await made.json<{ data: { clear: string } }>();
    const puppet = await acting({ id, secret: data.clear });
    expect(await outcomeOf(remove(puppet.call, ada), ada)).toMatchObject(REFUSED);
    expect(await outcomeOf(weaken(puppet.call, ada), ada)).toMatchObject(REFUSED);
  });

  test("the last administrator is whoever can log in: people of another provider do not count", async () => {
    const ada = await freshPerson(...ALL_SCOPES);
    const away = await storePerson({ scopes: ALL_SCOPES, hasAllScopes: true });
    const { call } = await actingPerson(ada);
    expect(await outcomeOf(remove(call, ada), ada)).toMatchObject(REFUSED);
    // A person who cannot log in is no administrator, and may be deleted.
    expect((await remove(call, away)).status).toBe(204);
  });

  test("the last administrator goes by the first client, which can invite another one", async () => {
    const ada = await freshPerson(...ALL_SCOPES);
    expect((await weaken(api, ada)).status).toBe(200);
    await setScopes(ada.id, ALL_SCOPES);
    expect((await remove(api, ada)).status).toBe(204);
    expect(await administrators()).toBe(0);
  });
});

test("an administrator may go beside another one, and one of two who remove each other at once stays", async () => {
  for (let round = 0; round < 3; round++) {
    const people = [await freshPerson(...ALL_SCOPES), await freshPerson(...ALL_SCOPES)] as const;
    const [ada, bob] = people;
    const [byAda, byBob] = [await actingPerson(ada), await actingPerson(bob)];
    await Promise.all([remove(byAda.call, bob), weaken(byBob.call, ada)]);
    expect(await administrators()).toBe(1);
    await env.DB.prepare("DELETE FROM auth_people").run();
  }
  const [ada, bob] = [await freshPerson(...ALL_SCOPES), await freshPerson(...ALL_SCOPES)];
  expect((await weaken((await actingPerson(ada)).call, bob)).status).toBe(200);
});

describe("a scope that is new in a release", () => {
  /** Removes the scopes of the ledger from a row, as if an older release without these scopes had written it. */
  const older = (table: string, id: string) =>
    env.DB.prepare(`UPDATE ${table} SET scopes = ? WHERE id = ?`)
      .bind(JSON.stringify(ALL_SCOPES.filter((scope) => !scope.startsWith("ledger:"))), id)
      .run();

  test("a scope that is new in a release goes to people who had all before, and to no others", async () => {
    const ada = await freshPerson(...ALL_SCOPES);
    const bob = await freshPerson(...ALL_SCOPES.filter((scope) => !scope.startsWith("webhooks:")));
    for (const { id } of [ada, bob]) await older("auth_people", id);
    const scopesOf = async ({ id }: TestPerson) => new Set((await userOf(id))?.scopes);
    expect(await scopesOf(ada)).toEqual(new Set(ALL_SCOPES));
    expect((await scopesOf(bob)).has("ledger:write")).toBe(false);
    const { token } = await actingPerson(ada);
    expect((await api("/api/ledger/v2", { token })).status).toBe(200);
    // Bob got no scope with the release, so Ada is still the only administrator.
    expect((await outcomeOf(remove((await actingPerson(ada)).call, ada), ada)).status).toBe(400);
  });

  test("a scope that is new in a release goes to clients that had all before", async () => {
    const { id, secret } = await makeClient({ scopes: ALL_SCOPES });
    await older("auth_clients", id);
    const { token } = await acting({ id, secret });
    expect((await api("/api/ledger/v2", { token })).status).toBe(200);
  });
});
