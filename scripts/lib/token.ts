import { z } from "zod";
import { commandOf } from "./place.ts";
import { OperatorError } from "./project.ts";
import type { Target } from "./target.ts";
import { parseJson } from "#platform/json.ts";

const TokenResponse = z.object({ access_token: z.string() });

/** Requests a token with the scopes, as far as the client has them. Throws `OperatorError` if the server gives none. */
export async function requestToken(
  { url, clientId, clientSecret }: Target,
  scopes: readonly string[],
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope: scopes.join(" "),
  });
  const response = await fetch(new URL("/api/auth/oauth/token", url), {
    method: "POST",
    body: form,
    // A redirection would take the secret to another server.
    redirect: "error",
  }).catch((cause: unknown) => {
    throw new OperatorError(
      `Nothing answers at ${url}. Start a server with \`${commandOf("start")}\` in another terminal.`,
      { cause },
    );
  });
  if (!response.ok) {
    throw new OperatorError(
      `${url} gives the client ${clientId} no token: ${response.status} ${await response.text()}`,
    );
  }
  return TokenResponse.parse(parseJson(await response.text())).access_token;
}
