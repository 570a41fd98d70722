import type { ConsoleWindow } from "./console-browser.ts";
import type { LocalServer } from "#test/support/platform/server.ts";

const LOOPBACK_CLIENT = "eu-person";

interface Tokens {
  readonly access_token: string;
}

/**
 * Gives a window the token of a client that is bound to ledgers in place of the person's own one. People are bound by tokens of other issuers
 * only, which the console does not ask for.
 */
export async function bindWindow(
  window: ConsoleWindow,
  server: LocalServer,
  { ledgers, scopes }: { readonly ledgers: string; readonly scopes: readonly string[] },
): Promise<void> {
  const id = `${LOOPBACK_CLIENT}-${crypto.randomUUID()}`;
  await server.json("/api/auth/clients", { body: { id, scopes, metadata: { ledgers } } });
  const { data } = (await server.json(`/api/auth/clients/${id}/secrets`, { body: {} })) as {
    data: { clear: string };
  }; // The schema of the answer has this shape.
  const answer = await fetch(`${server.url}/api/auth/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: data.clear,
      scope: scopes.join(" "),
    }),
  });
  const bound = await answer.json<Tokens>();
  let subject = "";
  await window.context.route("**/api/auth/oauth/token", async (route) => {
    const response = await route.fetch();
    const own = (await response.json()) as Tokens & { readonly id_token: string };
    subject = subjectOf(own.id_token);
    const { access_token: accessToken } = bound;
    const json = { ...own, access_token: accessToken, scope: scopes.join(" ") };
    await route.fulfill({ response, json });
  });
  await window.context.route("**/api/auth/userinfo", (route) =>
    route.fulfill({ json: { sub: subject, name: "Eve of the EU" } }),
  );
}

function subjectOf(idToken: string): string {
  const [, payload = ""] = idToken.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as { sub: string }; // OpenID Connect requires it.
  return claims.sub;
}
