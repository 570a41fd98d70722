import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { providerFetch } from "#modules/payments/connectors/kit/http.ts";
import { Text } from "#modules/payments/connectors/kit/objects.ts";
import { TokenApiClient } from "#modules/payments/connectors/kit/token-client.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { NOW } from "#test/support/payments/plugins.ts";

/** A provider that accepts only its newest token. */
function open(lifetimeMs?: number) {
  const state = { now: toMillis(NOW), logins: 0, isClosed: false, valid: "" };
  const answer = ({ url, headers }: Request): Response => {
    if (new URL(url).pathname === "/login") {
      state.valid = `token-${++state.logins}`;
      return Response.json({ token: state.valid });
    }
    const isIn = !state.isClosed && headers.get("x-token") === state.valid;
    return isIn ? Response.json({}) : new Response(null, { status: 401 });
  };
  const client = new TokenApiClient(
    providerFetch({
      fetch: async (url, init) => answer(new Request(url, init)),
      policy: { allowPrivateHosts: false },
      gate: OPEN_GATE,
      secrets: [],
    }),
    {
      baseUrl: "https://psp.example",
      clock: () => fromMillis(state.now),
      logIn: async (api) => ({
        ...(await api.read({ method: "POST", path: "/login" }, z.object({ token: Text }), "it")),
        ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
      }),
      headersOf: (token) => ({ "x-token": token }),
    },
  );
  return { state, ask: () => client.send({ path: "/accounts" }) };
}

describe("a token", () => {
  test("a token of a provider is asked for once, and shown with each request", async () => {
    const { state, ask } = open();
    await ask();
    await ask();
    expect(state.logins).toBe(1);
  });

  test("a token of a provider is renewed before it ends", async () => {
    const { state, ask } = open(60_000);
    await ask();
    state.now += 54_000;
    await ask();
    expect(state.logins).toBe(1);
    state.now += 1000;
    await ask();
    expect(state.logins).toBe(2);
  });

  test("a token of a provider is renewed once when the provider no longer accepts it", async () => {
    const { state, ask } = open();
    await ask();
    state.valid = "another one";
    expect((await ask()).status).toBe(200);
    expect(state.logins).toBe(2);
    state.isClosed = true;
    const failure = await ask().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectorError);
    expect(failure).toMatchObject({ kind: "invalid" });
    expect(state.logins).toBe(3);
  });
});
