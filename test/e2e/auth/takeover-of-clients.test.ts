import { beforeAll, describe, expect, test } from "vitest";
import { makeClient } from "#test/support/auth/clients.ts";
import { authorizeUrl, freshApp, freshPerson } from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import {
  acting,
  type ActingClient,
  ALL_SCOPES,
  asAdministrator,
  auditOf,
  CLIENTS,
  EVIL_URI,
  GOOD_URI,
  type KnownClient,
  scopesBy,
  STRONG,
  strongClient,
  viewOf,
  weakClient,
} from "#test/support/auth/takeover.ts";
import { post } from "#test/support/auth/token-requests.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

let weak: ActingClient;
let strong: KnownClient;
let bound: KnownClient;

beforeAll(async () => {
  weak = await weakClient();
  strong = await strongClient();
  bound = await strongClient({ scopes: ["auth:write"], metadata: { ledgers: "eu-1" } });
});

const pathOf = ({ id }: { id: string }): string => `${CLIENTS}/${encodeURIComponent(id)}`;
const put = async (target: { id: string }, fields: object): Promise<Response> =>
  weak.call(pathOf(target), { method: "PUT", body: { ...(await viewOf(target.id)), ...fields } });
const make = (fields: object): Promise<Response> =>
  weak.call(CLIENTS, { body: { id: freshName("made"), name: "n", ...fields } });
const takeSecret = (target: { id: string }): Promise<Response> =>
  weak.call(`${pathOf(target)}/secrets`, { body: { name: "mine" } });

/** Attacks of a weak client, each of which is refused and changes nothing. */
const REFUSED: readonly [name: string, attack: () => Promise<Response>][] = [
  ["takes all scopes from a stronger client", () => put(strong, { scopes: [] })],
  ["gives a stronger client its own scopes", () => put(strong, { scopes: ["auth:write"] })],
  ["leaves a stronger client some scopes", () => put(strong, { scopes: ["ledger:read"] })],
  ["writes a stronger client back as it is", () => put(strong, {})],
  ["renames a stronger client", () => put(strong, { name: "mine" })],
  [
    "adds a redirect URI to a stronger client",
    () => put(strong, { redirectUris: [GOOD_URI, EVIL_URI] }),
  ],
  [
    "replaces the redirect URIs and empties the scopes",
    () => put(strong, { redirectUris: [EVIL_URI], scopes: [] }),
  ],
  ["adds a URI to which a logout goes", () => put(strong, { postLogoutRedirectUris: [EVIL_URI] })],
  ["makes a stronger client public", () => put(strong, { public: true })],
  [
    "makes a stronger client public and empties it",
    () => put(strong, { public: true, scopes: [] }),
  ],
  ["makes a stronger client trusted", () => put(strong, { trusted: true, scopes: [] })],
  ["binds a stronger client to ledgers", () => put(strong, { metadata: { ledgers: "eu-1" } })],
  ["takes a secret of a stronger client", () => takeSecret(strong)],
  [
    "deletes the secret of a stronger client",
    async () => {
      const [secret] = (await viewOf(strong.id))?.secrets ?? [];
      return weak.call(`${pathOf(strong)}/secrets/${secret?.id}`, { method: "DELETE" });
    },
  ],
  ["deletes a stronger client", () => weak.call(pathOf(strong), { method: "DELETE" })],
  ["makes a client of the id of a stronger one", () => make({ id: strong.id, scopes: [] })],
  ["makes a client with more scopes", () => make({ scopes: ["auth:write", "ledger:write"] })],
  ["makes a client that reads more", () => make({ scopes: ["ledger:read"] })],
  ["makes a client with all scopes", () => make({ scopes: ALL_SCOPES })],
  ["makes a client with a scope of another server", () => make({ scopes: ["elsewhere:write"] })],
  ["makes a client that is trusted", () => make({ scopes: ["auth:write"], trusted: true })],
  [
    "makes a client that is bound and may do more",
    () => make({ scopes: ["ledger:write"], metadata: { ledgers: "eu-1" } }),
  ],
  ["makes the first client anew", () => make({ id: TEST_SETTINGS.FLORIN_CLIENT_ID })],
  [
    "makes a client of a person's id",
    async () => make({ id: (await freshPerson("ledger:write")).id, scopes: [] }),
  ],
  ["takes a secret of the first client", () => takeSecret({ id: TEST_SETTINGS.FLORIN_CLIENT_ID })],
  ["gives itself more scopes", () => put(weak, { scopes: ["auth:write", "ledger:write"] })],
  ["gives itself all scopes", () => put(weak, { scopes: ALL_SCOPES })],
  ["gives itself a scope of another server", () => put(weak, { scopes: ["elsewhere:write"] })],
  ["makes itself trusted", () => put(weak, { trusted: true })],
  [
    "rotates the keys that sign all tokens",
    () => weak.call("/api/florin/v1/signing-keys/rotate", { method: "POST" }),
  ],
];

describe("a client with auth:write alone is refused when it", () => {
  test.each(REFUSED)("a client with auth:write alone is refused when it %s", async (_, attack) => {
    const before = [await viewOf(strong.id), await viewOf(weak.id)];
    const keys = await (await api("/api/florin/v1/signing-keys")).text();
    const { status } = await attack();
    expect([400, 401, 404, 409]).toContain(status);
    expect([await viewOf(strong.id), await viewOf(weak.id)]).toEqual(before);
    expect(await scopesBy(strong)).toEqual(STRONG);
    expect(await scopesBy(weak)).toEqual(["auth:write"]);
    expect(await (await api("/api/florin/v1/signing-keys")).text()).toBe(keys);
  });
});

describe("a client that is bound to ledgers", () => {
  const WIDER: readonly [string, object][] = [
    ["to none", {}],
    ["to another ledger", { ledgers: "us-1" }],
    ["to a pattern around its own", { ledgers: "eu-*" }],
    ["to its own and another ledger", { ledgers: "eu-1,us-1" }],
    ["to every name", { ledgers: "*" }],
  ];

  test.each(WIDER)(
    "a client that is bound to ledgers binds itself %s, with a token or without effect",
    async (_, metadata) => {
      const { call } = await acting(bound);
      const before = await viewOf(bound.id);
      const body = { ...before, metadata };
      expect((await call(pathOf(bound), { method: "PUT", body })).status).toBe(401);
      expect(await viewOf(bound.id)).toEqual(before);
    },
  );

  test.each(WIDER)(
    "a client that is bound to ledgers, by a token of before, makes no client that is bound %s",
    async (_, metadata) => {
      const late = await weakClient();
      await asAdministrator(late.id, { metadata: { ledgers: "eu-1" } });
      const id = freshName("made");
      const body = { id, name: "n", scopes: ["auth:write"], metadata };
      expect((await late.call(CLIENTS, { body })).status).toBe(400);
      expect(await viewOf(id)).toBeUndefined();
      expect((await late.call(pathOf(weak), { method: "DELETE" })).status).toBe(400);
      expect(await viewOf(weak.id)).toMatchObject({ id: weak.id });
    },
  );
});

describe("what a client has lost until lately", () => {
  test("scopes that a client has lost are not taken over while tokens of that time live", async () => {
    const victim = await strongClient();
    await asAdministrator(victim.id, { scopes: [] });
    const before = await viewOf(victim.id);
    const attacks = [
      takeSecret(victim),
      put(victim, { redirectUris: [GOOD_URI, EVIL_URI] }),
      put(victim, { scopes: ["auth:write"] }),
      weak.call(pathOf(victim), { method: "DELETE" }),
    ];
    for (const attack of attacks) {
      const response = await attack;
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("could do more than you until recently");
    }
    expect(await viewOf(victim.id)).toEqual(before);
    await asAdministrator(victim.id, { scopes: STRONG });
    expect(await scopesBy(victim)).toEqual(STRONG);
  });

  test("scopes of a deleted client are not taken over by its id", async () => {
    const victim = await strongClient();
    await api(pathOf(victim), { method: "DELETE" });
    expect((await make({ id: victim.id, scopes: ["auth:write"] })).status).toBe(400);
    expect(await viewOf(victim.id)).toBeUndefined();
  });
});

describe("scopes that are given back, or given for the first time, give nothing to", () => {
  test("scopes that are given give nothing to a secret that somebody weaker has made meanwhile, as the audit tells", async () => {
    const victim = await strongClient({ scopes: [] });
    const taken = await takeSecret(victim);
    const { data } = await taken.json<{ data: { id: string; clear: string } }>();
    const loot = { id: victim.id, secret: data.clear };
    const restored = await asAdministrator(victim.id, { scopes: STRONG });
    expect(await scopesBy(loot)).toEqual([]);
    expect(restored.secrets.map(({ id }) => id)).not.toContain(data.id);
    expect(await auditOf("auth.secret.revoke", `clients/${victim.id}/secrets/${data.id}`)).toBe(1);
    expect(await scopesBy(victim)).toEqual(STRONG);
  });

  test("scopes that are given give nothing to a redirect URI that somebody weaker has added, until it is named again", async () => {
    const victim = await strongClient({ scopes: [] });
    expect((await put(victim, { redirectUris: [GOOD_URI, EVIL_URI] })).status).toBe(200);
    // An administrator who reads the client, adds scopes and writes it back has not chosen the URI.
    const restored = await asAdministrator(victim.id, { scopes: STRONG });
    expect(restored.redirectUris).toEqual([GOOD_URI]);
    const object = `clients/${victim.id}/redirect-uris/${EVIL_URI}`;
    expect(await auditOf("auth.redirect-uri.revoke", object)).toBe(1);
    const url = authorizeUrl({ id: victim.id, redirectUri: EVIL_URI });
    expect((await new PageVisitor().get(url)).status).toBe(400);
    const chosen = await asAdministrator(victim.id, { redirectUris: [GOOD_URI, EVIL_URI] });
    expect(chosen.redirectUris).toEqual([GOOD_URI, EVIL_URI]);
  });

  test("scopes that are given give nothing to a weaker one's redirect URI that an administrator has written back", async () => {
    const victim = await strongClient({ scopes: [] });
    await put(victim, { redirectUris: [GOOD_URI, EVIL_URI] });
    const renamed = await asAdministrator(victim.id, { name: "another name" });
    expect(renamed.redirectUris).toEqual([GOOD_URI, EVIL_URI]);
    const restored = await asAdministrator(victim.id, { scopes: STRONG });
    expect(restored.redirectUris).toEqual([GOOD_URI]);
  });

  test("scopes that are given give nothing to a client that somebody weaker has made, with its secrets", async () => {
    const id = freshName("made");
    expect((await make({ id, scopes: ["auth:write"] })).status).toBe(201);
    const { data } = await (await takeSecret({ id })).json<{ data: { clear: string } }>();
    expect(await scopesBy({ id, secret: data.clear })).toEqual(["auth:write"]);
    await asAdministrator(id, { scopes: ["auth:write", "ledger:write"] });
    expect(await scopesBy({ id, secret: data.clear })).toEqual([]);
  });

  test("scopes that are given give nothing to a secret that a client has made for itself before it got more", async () => {
    const own = await weakClient();
    const made = await own.call(`${pathOf(own)}/secrets`, { body: { name: "own" } });
    const { data } = await made.json<{ data: { clear: string } }>();
    await asAdministrator(own.id, { scopes: ALL_SCOPES });
    expect(await scopesBy({ id: own.id, secret: data.clear })).toEqual([]);
    // The secret that an administrator has made gives the new scopes.
    expect(await scopesBy(own)).toEqual(ALL_SCOPES);
  });

  test("scopes that are given give nothing to a secret of a bound client that becomes free", async () => {
    const holder = await acting(await makeClient({ scopes: ["auth:write", "ledger:write"] }));
    const target = await makeClient({ scopes: ["ledger:write"], metadata: { ledgers: "eu-1" } });
    const made = await holder.call(`${pathOf(target)}/secrets`, { body: { name: "s" } });
    const { data } = await made.json<{ data: { clear: string } }>();
    await asAdministrator(holder.id, { scopes: ["auth:write"] });
    // The secret's maker could have given all ledgers, so the secret stays.
    await asAdministrator(target.id, { metadata: {} });
    expect(await scopesBy({ id: target.id, secret: data.clear })).toEqual(["ledger:write"]);
    await asAdministrator(target.id, { scopes: STRONG });
    expect(await scopesBy({ id: target.id, secret: data.clear })).toEqual([]);
  });
});

describe("a token of before", () => {
  const answerTo = async (response: Promise<Response>) => {
    const { status, headers } = await response;
    return [status, headers.get("www-authenticate")];
  };
  /** The token lacks the scope until this instance has read that the token was revoked or its client deleted, a second or two later; then it is invalid. */
  const REFUSAL = [401, expect.stringMatching(/insufficient_scope|invalid_token/u)];

  test("a token of before changes nothing after its client was deleted", async () => {
    const gone = await weakClient();
    const victim = await strongClient({ scopes: [] });
    await api(pathOf(gone), { method: "DELETE" });
    expect(await answerTo(gone.call(CLIENTS, { body: { name: "n" } }))).toEqual(REFUSAL);
    expect(await answerTo(gone.call(pathOf(victim), { method: "DELETE" }))).toEqual(REFUSAL);
    expect(await viewOf(victim.id)).toMatchObject({ id: victim.id });
  });

  test("a token of before changes nothing after its client has lost auth:write", async () => {
    const late = await weakClient();
    await asAdministrator(late.id, { scopes: ["auth:read"] });
    expect(await answerTo(late.call(CLIENTS, { body: { name: "n" } }))).toEqual(REFUSAL);
    expect(await answerTo(late.call(`${pathOf(late)}/secrets`, { body: { name: "s" } }))).toEqual(
      REFUSAL,
    );
  });

  test("a token of before changes nothing after it was revoked, though this instance has not read so yet", async () => {
    const late = await weakClient();
    const form = { token: late.token, client_id: late.id, client_secret: late.secret };
    expect((await post("/revoke", form)).status).toBe(200);
    expect(await answerTo(late.call(CLIENTS, { body: { name: "n" } }))).toEqual(REFUSAL);
  });

  test("a token of before gives no more than its client has now", async () => {
    const late = await acting(await makeClient({ scopes: ["auth:write", "ledger:write"] }));
    await asAdministrator(late.id, { scopes: ["auth:write"] });
    const id = freshName("made");
    const body = { id, name: "n", scopes: ["ledger:write"] };
    expect((await late.call(CLIENTS, { body })).status).toBe(400);
    expect(await viewOf(id)).toBeUndefined();
  });

  test("a token of before is not that of a client which comes back under the same id", async () => {
    const gone = await weakClient();
    await api(pathOf(gone), { method: "DELETE" });
    await makeClient({ id: gone.id, scopes: ALL_SCOPES });
    expect(await answerTo(gone.call(CLIENTS, { body: { name: "n", scopes: STRONG } }))).toEqual(
      REFUSAL,
    );
  });
});

describe("requests that are sent at once", () => {
  test("two requests are sent at once: none takes a secret of a client that gets more", async () => {
    for (let round = 0; round < 5; round++) {
      const victim = await strongClient({ scopes: [] });
      const [taken] = await Promise.all([
        takeSecret(victim),
        asAdministrator(victim.id, { scopes: STRONG }),
      ]);
      if (!taken.ok) continue;
      const { data } = await taken.json<{ data: { clear: string } }>();
      expect(await scopesBy({ id: victim.id, secret: data.clear })).toEqual([]);
    }
  });

  test("two requests are sent at once: none adds a redirect URI to a client that gets more", async () => {
    for (let round = 0; round < 5; round++) {
      const victim = await strongClient({ scopes: [] });
      const body = { name: "t", scopes: STRONG, redirectUris: [GOOD_URI] };
      const path = pathOf(victim);
      await Promise.all([
        put(victim, { redirectUris: [GOOD_URI, EVIL_URI] }),
        api(path, { method: "PUT", body }),
      ]);
      const { scopes = [], redirectUris = [] } = (await viewOf(victim.id)) ?? {};
      expect(scopes).toEqual(STRONG);
      expect(redirectUris).toEqual([GOOD_URI]);
    }
  });

  test("two requests are sent at once: none gives what whoever gives it loses", async () => {
    for (let round = 0; round < 5; round++) {
      const late = await acting(await makeClient({ scopes: ["auth:write", "ledger:write"] }));
      const body = { id: freshName("made"), name: "n", scopes: ["ledger:write"] };
      const [made] = await Promise.all([
        late.call(CLIENTS, { body }),
        asAdministrator(late.id, { scopes: ["auth:write"] }),
      ]);
      // A client that was made before the loss of scopes stays, and the list shows it.
      expect(made.ok).toBe((await viewOf(body.id)) !== undefined);
      expect((await late.call(`${CLIENTS}/${body.id}/secrets`, { body: {} })).status).not.toBe(200);
    }
  });

  test("each of four requests that change one client at once is stored, and none is lost", async () => {
    const { id } = await freshApp();
    const names = Array.from({ length: 4 }, (_, index) => `name ${index}`);
    await Promise.all(names.map((name) => asAdministrator(id, { name })));
    expect(names).toContain((await viewOf(id))?.name);
    expect(await auditOf("auth.client.update", `clients/${id}`)).toBe(names.length);
  });
});
