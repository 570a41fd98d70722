import { describe, expect, test } from "vitest";
import type { LinkRequest } from "#modules/payments/connectors/contract.ts";
import { COUNTRIES, LANGUAGES } from "#modules/payments/connectors/plaid/users.ts";
import { present } from "#platform/assert.ts";
import { BASE_URL, openBench } from "#test/support/payments/conformance/subject.ts";
import { forwarded, linked, plaidSubject, user } from "#test/support/payments/plaid.ts";
import { NOW } from "#test/support/payments/plugins.ts";
import { ITEM_TOKEN } from "#test/support/psp/plaid.ts";

const open = () => {
  const { psp, plugin } = openBench(plaidSubject);
  return { psp, users: present(plugin.users, "it has users") };
};

describe("a user of Plaid", () => {
  const request: LinkRequest = {
    user,
    forwarded,
    applicationName: "Florin",
    clientRedirectUrl: "https://app.example/done",
    redirectUrl: "https://florin.example/redirect",
    state: "state-1",
    attemptId: "attempt-1",
    webhookUrl: BASE_URL,
  };

  test("a user of Plaid is known by an id and a token, and is removed once", async () => {
    const { psp, users } = open();
    const created = await users.createUser(user);
    expect(created).toEqual({
      providerUserId: "user-1",
      accessToken: "user-token-psu-1",
      metadata: {},
    });
    await users.deleteUser({ user, forwarded: created });
    await users.deleteUser({ user, forwarded: created });
    expect(psp.users.size).toBe(0);
  });

  test("a user of Plaid is linked by a hosted link, whose end the provider reports", async () => {
    const { psp, users } = open();
    expect(await users.createLink(request)).toEqual({
      url: "https://secure.plaid.com/link/link-sandbox-1",
      temporaryToken: "link-sandbox-1",
      expiresAt: "2026-03-01T13:30:00.000000Z",
    });
    expect(psp.requests[0]?.json()).toEqual({
      client_name: "Florin",
      language: "fr",
      country_codes: ["FR"],
      user: { client_user_id: "psu-1", legal_name: "Ann Smith", email_address: "a@b.example" },
      user_token: "user-token-psu-1",
      webhook: `${BASE_URL}/all?attemptID=attempt-1`,
      hosted_link: { completion_redirect_uri: "https://app.example/done" },
      products: ["transactions"],
      account_filters: { depository: { account_subtypes: ["checking", "savings"] } },
      enable_multi_item_link: true,
    });
  });

  test("a user of Plaid renews a connection by a link with its token", async () => {
    const { psp, users } = open();
    await users.updateLink({ ...request, ...linked });
    expect(psp.requests[0]?.json()).toMatchObject({ access_token: ITEM_TOKEN, language: "fr" });
    expect(psp.requests[0]?.json()).not.toHaveProperty("products");
  });

  const { applicationName: _application, ...nameless } = request;
  test.each([
    [{ ...request, user: { ...user, name: "" } }, "the user has to have a name"],
    [
      { ...request, user: { ...user, locale: "tlh" } },
      "the user has to have a locale of a known language",
    ],
    [
      { ...request, user: { ...user, country: "AQ" } },
      "the user has to have an address in a known country",
    ],
    [nameless, "the name of the application is required"],
  ])("a link of a user of Plaid is refused: %#", async (asked, message) => {
    await expect(open().users.createLink(asked)).rejects.toMatchObject({
      kind: "invalid",
      message,
    });
    expect([LANGUAGES.size, COUNTRIES.size]).toEqual([17, 20]);
  });

  const completed = (query: Readonly<Record<string, readonly string[]>>) => {
    const callback = { user, forwarded, query, headers: {}, body: "" };
    return open().users.completeLink({ ...callback, temporaryToken: "link-sandbox-1" });
  };
  const link_token = ["link-sandbox-1"];

  test("a user of Plaid gets a connection for each public token", async () => {
    const public_token = ["public-item-1", "public-item-2"];
    expect(await completed({ link_token, public_token })).toEqual({
      connections: ["item-1", "item-2"].map((connectionId) => ({
        connectionId,
        accessToken: `access-${connectionId}`,
        createdAt: NOW,
        metadata: {},
      })),
    });
  });

  test("a user of Plaid gets no connection from a renewal, or from an attempt that has failed", async () => {
    expect(await completed({ link_token, status: ["success"] })).toEqual({ connections: [] });
    expect(await completed({ link_token, status: ["exited"] })).toEqual({ error: "exited" });
    expect(await completed({ link_token })).toEqual({ error: "exited" });
  });

  test.each([{}, { link_token: ["another"] }, { link_token: ["link-sandbox-1", "another"] }])(
    "a user of Plaid is not linked by another link: %o",
    async (query) => {
      await expect(completed({ ...query, public_token: ["public-1"] })).rejects.toMatchObject({
        kind: "invalid",
      });
    },
  );

  test("a user of Plaid loses a connection once", async () => {
    const { psp, users } = open();
    await users.deleteConnection(linked);
    await users.deleteConnection(linked);
    expect(psp.items.size).toBe(0);
    const { accessToken: _token, ...tokenless } = linked;
    await expect(users.deleteConnection(tokenless)).rejects.toMatchObject({ kind: "invalid" });
  });
});
