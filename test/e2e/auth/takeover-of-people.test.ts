import { beforeAll, describe, expect, test } from "vitest";
import { Authenticator } from "#test/support/auth/authenticator.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { authorizeUrl, freshPerson, type TestPerson } from "#test/support/auth/logins.ts";
import {
  acting,
  type ActingClient,
  actingPerson,
  addPasskey,
  ALL_SCOPES,
  asAdministrator,
  auditOf,
  canLogIn,
  canLogInBy,
  CLIENTS,
  INVITATIONS,
  invitedBy,
  openLink,
  setScopes,
  STRONG,
  urlOf,
  userOf,
  USERS,
  viewOf,
  weakClient,
} from "#test/support/auth/takeover.ts";
import { api, freshName, send } from "#test/support/platform/api.ts";

const OTHER_PASSWORD = "another good passphrase";

// The client and people that no attack harms are shared by all tests.
let weak: ActingClient;
let weakPerson: TestPerson;
let byPerson: Caller;
let strong: TestPerson;
let administrator: TestPerson;

beforeAll(async () => {
  weak = await weakClient();
  weakPerson = await freshPerson("auth:write");
  byPerson = await actingPerson(weakPerson);
  strong = await freshPerson(...STRONG);
  administrator = await freshPerson(...ALL_SCOPES);
});

type Caller = Pick<ActingClient, "call">;

const put = ({ call }: Caller, { id }: { id: string }, scopes: readonly string[]) =>
  call(`${USERS}/${id}`, { method: "PUT", body: { scopes } });
const reset = ({ call }: Caller, { id }: { id: string }) =>
  call(`${USERS}/${id}/password-reset`, { method: "POST" });
const remove = ({ call }: Caller, { id }: { id: string }) =>
  call(`${USERS}/${id}`, { method: "DELETE" });
const invite = ({ call }: Caller, scopes: readonly string[]) =>
  call(INVITATIONS, { body: { email: `${freshName("eve")}@example.com`, scopes } });

const REFUSED: readonly [name: string, attack: (caller: Caller) => Promise<Response>][] = [
  ["takes all scopes from a stronger person", (caller) => put(caller, strong, [])],
  ["gives a stronger person its own scopes", (caller) => put(caller, strong, ["auth:write"])],
  ["gives a stronger person the scopes of before", (caller) => put(caller, strong, STRONG)],
  ["gives a stronger person more", (caller) => put(caller, strong, ALL_SCOPES)],
  ["makes a link for a stronger person's password", (caller) => reset(caller, strong)],
  ["deletes a stronger person", (caller) => remove(caller, strong)],
  ["takes all scopes from an administrator", (caller) => put(caller, administrator, [])],
  ["makes a link for an administrator's password", (caller) => reset(caller, administrator)],
  ["deletes an administrator", (caller) => remove(caller, administrator)],
  ["invites somebody who may do more", (caller) => invite(caller, ["ledger:read"])],
  ["invites an administrator", (caller) => invite(caller, ALL_SCOPES)],
  ["invites somebody for another server", (caller) => invite(caller, ["elsewhere:write"])],
];

async function assertUnharmed(people: readonly (TestPerson & { scopes: readonly string[] })[]) {
  for (const { id, scopes } of people) {
    expect(await userOf(id)).toMatchObject({ scopes, canLogIn: true });
  }
}

describe.each([
  ["client", () => weak],
  ["person", () => byPerson],
])("a %s with auth:write alone is refused when it", (_, callerOf) => {
  test.each(REFUSED)(
    "an actor with auth:write alone is refused when it %s",
    async (_name, attack) => {
      const { status } = await attack(callerOf());
      expect(status).toBe(400);
      await assertUnharmed([
        { ...strong, scopes: STRONG },
        { ...administrator, scopes: ALL_SCOPES },
      ]);
    },
  );
});

describe("an application limits a person, and a person limits an application", () => {
  test("an application or a person who may do everything gives no more by a token than the token has", async () => {
    const body = { id: freshName("made"), name: "n", scopes: ["ledger:read"] };
    expect((await byPerson.call(CLIENTS, { body })).status).toBe(400);
    expect(await viewOf(body.id)).toBeUndefined();
  });
});

test("an administrator who logs in to an application of somebody weaker lends it nothing", async () => {
  const id = freshName("phish");
  const redirectUri = "https://evil.example/callback";
  const fields = {
    id,
    name: "n",
    public: true,
    redirectUris: [redirectUri],
    scopes: ["auth:write"],
  };
  expect((await weak.call(CLIENTS, { body: fields })).status).toBe(201);
  const phished = await actingPerson(administrator, { id, redirectUri });
  const body = { id: freshName("made"), name: "n", scopes: ["ledger:write"] };
  expect((await phished.call(CLIENTS, { body })).status).toBe(400);
  expect((await reset(phished, strong)).status).toBe(400);
  expect((await put(phished, { id: weakPerson.id }, ALL_SCOPES)).status).toBe(400);
  expect((await phished.call("/api/ledger/v2")).status).toBe(401);
  // The phished code gives no more when the application gets scopes: its grant stays as it was, and the redirect URI gets no
  // new code.
  await asAdministrator(id, { scopes: ["auth:write", ...STRONG] });
  const { access_token: token } = await phished.refresh();
  expect((await api("/api/ledger/v2", { token })).status).toBe(401);
  expect((await viewOf(id))?.redirectUris).toEqual([]);
});

describe("scopes that are given back, or given for the first time, give nothing to", () => {
  test("scopes that are given to a person give nothing to whoever has opened an invitation of somebody weaker", async () => {
    const eve = await invitedBy(weak, ["auth:write"]);
    const { refresh, visitor, app, call } = await actingPerson(eve);
    expect((await call(USERS)).status).toBe(200);
    const user = await setScopes(eve.id, ["auth:write", "ledger:write"]);
    expect(user).toMatchObject({ canLogIn: false, scopes: ["auth:write", "ledger:write"] });
    expect(await auditOf("auth.person.credentials.revoke", `users/${eve.id}`)).toBe(1);
    // The new scopes end the password, the session, the refresh token and the access token at once.
    expect(await canLogIn(eve)).toBe(false);
    const back = await visitor.get(authorizeUrl(app, { prompt: "none" }));
    expect(back.headers.get("location")).toContain("error=login_required");
    expect((await refresh()).error).toBe("invalid_grant");
    expect((await invite({ call }, [])).status).toBe(401);
    // A link of an administrator lets the person log in again.
    await openLink(await urlOf(await reset({ call: api }, eve)));
    expect(await canLogIn(eve)).toBe(true);
    expect(await userOf(eve.id)).toMatchObject({ canLogIn: true });
  });

  test("scopes that are given give nothing to a passkey that was added after an invitation by somebody weaker", async () => {
    const eve = await invitedBy(weak, []);
    const { visitor } = await actingPerson(eve);
    const device = new Authenticator();
    await addPasskey(visitor, device);
    expect(await canLogInBy(device)).toBe(true);
    await setScopes(eve.id, STRONG);
    expect(await canLogInBy(device)).toBe(false);
    expect(await userOf(eve.id)).toMatchObject({ canLogIn: false });
    // The browser that was logged in cannot add another passkey.
    expect((await visitor.post("/api/auth/passkeys/offer", {})).status).toBe(401);
  });

  test("scopes that are given give nothing to a password that somebody weaker has set meanwhile", async () => {
    const victim = await freshPerson();
    await openLink(await urlOf(await reset(weak, victim)), OTHER_PASSWORD);
    expect(await canLogIn({ ...victim, password: OTHER_PASSWORD })).toBe(true);
    await setScopes(victim.id, STRONG);
    expect(await canLogIn({ ...victim, password: OTHER_PASSWORD })).toBe(false);
  });

  test("scopes that are given give nothing to a password that was changed with one that somebody weaker has set", async () => {
    const eve = await invitedBy(weak, []);
    const { visitor } = await actingPerson(eve);
    const fields = { old: eve.password, new: OTHER_PASSWORD };
    expect((await visitor.post("/api/auth/password", fields)).status).toBe(200);
    await setScopes(eve.id, STRONG);
    expect(await canLogIn({ ...eve, password: OTHER_PASSWORD })).toBe(false);
  });

  test("scopes that are given give nothing to a link that somebody weaker has made and not opened yet", async () => {
    const victim = await freshPerson();
    const url = await urlOf(await reset(weak, victim));
    await setScopes(victim.id, STRONG);
    expect(await openLink(url, OTHER_PASSWORD)).toBe(false);
    expect(await canLogIn(victim)).toBe(true);
  });

  test("scopes that are given end nothing that an administrator has made", async () => {
    const ada = await freshPerson("ledger:read");
    const { refresh } = await actingPerson(ada);
    expect(await setScopes(ada.id, STRONG)).toMatchObject({ canLogIn: true });
    expect((await refresh()).status).toBe(200);
    expect(await auditOf("auth.person.credentials.revoke", `users/${ada.id}`)).toBe(0);
  });
});

describe("an invitation and a link for a password end", () => {
  const holder = async () => acting(await makeClient({ scopes: ["auth:write", ...STRONG] }));
  const ENDS: readonly [string, (id: string) => Promise<unknown>][] = [
    ["loses scopes", (id) => asAdministrator(id, { scopes: ["auth:write"] })],
    ["is bound to ledgers", (id) => asAdministrator(id, { metadata: { ledgers: "eu-1" } })],
    ["is deleted", (id) => api(`${CLIENTS}/${id}`, { method: "DELETE" })],
  ];

  test.each(ENDS)(
    "an invitation and a link for a password end when the client that has made it %s",
    async (_, end) => {
      const maker = await holder();
      const invitation = await urlOf(await invite(maker, STRONG));
      const link = await urlOf(await reset(maker, strong));
      await end(maker.id);
      expect(await openLink(invitation)).toBe(false);
      expect(await openLink(link, OTHER_PASSWORD)).toBe(false);
    },
  );

  test.each([
    ["loses scopes", (id: string) => setScopes(id, ["auth:write"])],
    ["is deleted", (id: string) => remove({ call: api }, { id })],
  ])(
    "an invitation and a link for a password end when the person who has made it %s",
    async (_, end) => {
      const maker = await freshPerson("auth:write", ...STRONG);
      const invitation = await urlOf(await invite(await actingPerson(maker), STRONG));
      await end(maker.id);
      expect(await openLink(invitation)).toBe(false);
    },
  );

  test("an invitation and a link for a password do not end when their maker gets more", async () => {
    const maker = await weakClient();
    const url = await urlOf(await invite(maker, []));
    await asAdministrator(maker.id, { scopes: ["auth:write", "ledger:read"] });
    expect(await openLink(url)).toBe(true);
  });
});

describe("a token of before changes nothing", () => {
  const CASES: readonly [string, (person: TestPerson) => Promise<unknown>][] = [
    ["has lost auth:write", (person) => setScopes(person.id, ["auth:read"])],
    ["is gone", (person) => remove({ call: api }, person)],
    [
      "has another password, by a link",
      async (person) => openLink(await urlOf(await reset({ call: api }, person)), OTHER_PASSWORD),
    ],
  ];

  test.each(CASES)("a token of before changes nothing after its person %s", async (_, end) => {
    const person = await freshPerson("auth:write");
    const { call } = await actingPerson(person);
    expect((await invite({ call }, [])).status).toBe(201);
    await end(person);
    expect((await invite({ call }, [])).status).toBe(401);
    expect((await call(CLIENTS, { body: { name: "n" } })).status).toBe(401);
  });

  test("a token of before changes nothing after its application has lost auth:write", async () => {
    const { call, app } = await actingPerson(weakPerson);
    await asAdministrator(app.id, { scopes: ["auth:read"] });
    expect((await invite({ call }, [])).status).toBe(401);
  });

  test("a token of before changes nothing that gives more than its person has now", async () => {
    const person = await freshPerson("auth:write", ...STRONG);
    const { call } = await actingPerson(person);
    await setScopes(person.id, ["auth:write"]);
    expect((await invite({ call }, STRONG)).status).toBe(400);
  });
});

test("an invitation that is made while its maker ends is not left", async () => {
  for (let round = 0; round < 5; round++) {
    const maker = await acting(await makeClient({ scopes: ["auth:write", ...STRONG] }));
    const [invited] = await Promise.all([
      invite(maker, STRONG),
      asAdministrator(maker.id, { scopes: ["auth:write"] }),
    ]);
    const isOpened = invited.ok && (await openLink(await urlOf(invited)));
    expect(isOpened).toBe(false);
  }
});

test("a password by a link and scopes that are given at once never come together in one person", async () => {
  for (let round = 0; round < 2; round++) {
    const victim = await freshPerson();
    const url = await urlOf(await reset(weak, victim));
    await Promise.all([openLink(url, OTHER_PASSWORD), setScopes(victim.id, STRONG)]);
    expect(await canLogIn({ ...victim, password: OTHER_PASSWORD })).toBe(false);
  }
});

test("people come back under no client's id, and clients under no person's", async () => {
  const made = await api(CLIENTS, { body: { id: strong.id, name: "n" } });
  expect(made.status).toBe(409);
  expect((await send(`/api/auth/clients/${strong.id}`)).status).toBe(401);
});

test("people who were attacked in these ways log in as before", async () => {
  expect(await canLogIn(strong)).toBe(true);
  expect(await canLogIn(administrator)).toBe(true);
});
