import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { forgetFormer } from "#test/support/auth/former.ts";
import { freshPerson } from "#test/support/auth/logins.ts";
import {
  asAdministrator,
  canLogIn,
  CLIENTS,
  openLink,
  scopesBy,
  setScopes,
  STRONG,
  strongClient,
  urlOf,
  USERS,
  weakClient,
} from "#test/support/auth/takeover.ts";

describe("what a client or a person could do until lately", () => {
  test("former authority is one row for each former set of scopes, and none for a change of other fields", async () => {
    const { id } = await strongClient();
    for (const scopes of [[], STRONG, [], STRONG, STRONG]) await asAdministrator(id, { scopes });
    await asAdministrator(id, { name: "another", metadata: { team: "x" } });
    const query = "SELECT count(*) AS n FROM auth_former_authorities WHERE holder = ?";
    expect(await env.DB.prepare(query).bind(id).first("n")).toBe(2);
  });

  test("former authority is forgotten with the last token of that time, and a secret made after that ends when it comes back", async () => {
    const weak = await weakClient();
    const victim = await strongClient();
    const take = () => weak.call(`${CLIENTS}/${victim.id}/secrets`, { body: { name: "mine" } });
    await asAdministrator(victim.id, { scopes: [] });
    expect((await take()).status).toBe(400);
    await forgetFormer(victim.id);
    const { data } = await (await take()).json<{ data: { clear: string } }>();
    await asAdministrator(victim.id, { scopes: STRONG });
    expect(await scopesBy({ id: victim.id, secret: data.clear })).toEqual([]);
    expect(await scopesBy(victim)).toEqual(STRONG);
  });

  test("former authority is forgotten, and a password that was set after that ends when it comes back", async () => {
    const weak = await weakClient();
    const victim = await freshPerson(...STRONG);
    const reset = () => weak.call(`${USERS}/${victim.id}/password-reset`, { method: "POST" });
    await setScopes(victim.id, []);
    expect((await reset()).status).toBe(400);
    await forgetFormer(victim.id);
    const password = "another good passphrase";
    await openLink(await urlOf(await reset()), password);
    expect(await canLogIn({ ...victim, password })).toBe(true);
    await setScopes(victim.id, STRONG);
    expect(await canLogIn({ ...victim, password })).toBe(false);
  });
});
