import { api, freshName, send, token } from "#test/support/platform/api.ts";

/** A client of a single test, with a token. */
export interface TestClient {
  readonly id: string;
  readonly token: string;
}

/** Makes a client, and a token with the given scopes. */
export const freshClient = (...scopes: readonly string[]): Promise<TestClient> =>
  clientWith({ scopes });

/** Makes a client with the given fields, and a token with all of its scopes. */
export async function clientWith(fields: {
  readonly scopes: readonly string[];
  readonly metadata?: object;
}): Promise<TestClient> {
  const id = freshName("client");
  const writer = await token("auth:write");
  await created(api("/api/auth/clients", { token: writer, body: { id, name: id, ...fields } }));
  const { data } = await created<{ data: { clear: string } }>(
    api(`/api/auth/clients/${id}/secrets`, { token: writer, body: { name: "test" } }),
  );
  const { access_token: accessToken } = await created<{ access_token: string }>(
    send("/api/auth/oauth/token", {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: id,
        client_secret: data.clear,
        scope: fields.scopes.join(" "),
      }),
    }),
  );
  return { id, token: accessToken };
}

/** Makes a client with the given fields, and a secret for it. */
export async function makeClient(fields: object): Promise<{ id: string; secret: string }> {
  const writer = await token("auth:write");
  const created = await api("/api/auth/clients", { token: writer, body: { name: "t", ...fields } });
  const { data } = await created.json<{ data: { id: string } }>();
  const path = `/api/auth/clients/${encodeURIComponent(data.id)}/secrets`;
  const secret = await api(path, { token: writer, body: { name: "s" } });
  const { data: made } = await secret.json<{ data: { clear: string } }>();
  return { id: data.id, secret: made.clear };
}

async function created<T>(response: Promise<Response>): Promise<T> {
  const answer = await response;
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json<T>();
}
