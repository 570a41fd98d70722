import type { Authenticator } from "./authenticator.ts";
import { makeClient } from "./clients.ts";
import {
  authorizeUrl,
  freshApp,
  logIn,
  openLogin,
  PASSWORD,
  type TestApp,
  type TestPerson,
  VERIFIER,
} from "./logins.ts";
import { PageVisitor } from "./pages.ts";
import { ask } from "./token-requests.ts";
import { ALL_SCOPES, api, type ApiInit, BASE_URL, freshName } from "#test/support/platform/api.ts";

export { ALL_SCOPES };
/** The scopes of the attacked clients and people. */
export const STRONG = ["ledger:write", "payments:write"];
export const CLIENTS = "/api/auth/clients";
export const USERS = "/api/florin/v1/users";
export const INVITATIONS = "/api/florin/v1/invitations";
export const GOOD_URI = "https://good.example/callback";
export const EVIL_URI = "https://evil.example/callback";

/** A client with a secret. */
export interface KnownClient {
  readonly id: string;
  readonly secret: string;
}

/** A client with a token of its own. */
export interface ActingClient extends KnownClient {
  readonly token: string;
  /** Calls the API with the client's token. */
  readonly call: (path: string, init?: ApiInit) => Promise<Response>;
}

/** The client of a secret, with a token of all its scopes. */
export async function acting({ id, secret }: KnownClient): Promise<ActingClient> {
  const { access_token: token } = await ask({
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
    scope: ALL_SCOPES.join(" "),
  });
  return { id, secret, token, call: (path, init = {}) => api(path, { ...init, token }) };
}

/** A client that may only change clients and people. */
export const weakClient = async (): Promise<ActingClient> =>
  acting(await makeClient({ id: freshName("weak"), scopes: ["auth:write"] }));

/** A client with more scopes, and with a redirect URI. */
export const strongClient = (fields: object = {}): Promise<KnownClient> =>
  makeClient({
    id: freshName("strong"),
    scopes: STRONG,
    redirectUris: [GOOD_URI],
    postLogoutRedirectUris: [],
    ...fields,
  });

/** The scopes of a token that a secret gets when it asks for all; none for a refused secret. */
export async function scopesBy({ id, secret }: KnownClient): Promise<readonly string[]> {
  const answer = await ask({
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
    scope: [...ALL_SCOPES, "elsewhere:write"].join(" "),
  });
  if (answer.status !== 200) return [];
  return (answer.scope ?? [...ALL_SCOPES, "elsewhere:write"].join(" ")).split(" ");
}

export interface ClientBody {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly secrets: readonly { readonly id: string }[];
  readonly metadata: object;
}

/** A client as the API shows it; undefined for an unknown client. */
export async function viewOf(id: string): Promise<ClientBody | undefined> {
  const response = await api(`${CLIENTS}/${encodeURIComponent(id)}`);
  if (response.status === 404) return undefined;
  return (await response.json<{ data: ClientBody }>()).data;
}

export interface UserBody {
  readonly id: string;
  readonly email: string;
  readonly scopes: readonly string[];
  readonly ledgers: readonly string[];
  readonly canLogIn: boolean;
}

/** A person as the API shows it; undefined for an unknown person. */
export async function userOf(id: string): Promise<UserBody | undefined> {
  const response = await api(USERS);
  return (await response.json<{ data: UserBody[] }>()).data.find((user) => user.id === id);
}

/** Replaces fields of a client by the first client, as an administrator who reads the client and writes it back. */
export const asAdministrator = async (id: string, fields: object): Promise<ClientBody> => {
  const body = { ...(await viewOf(id)), ...fields };
  const response = await api(`${CLIENTS}/${id}`, { method: "PUT", body });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json<{ data: ClientBody }>()).data;
};

/** Changes the scopes of a person by the first client. */
export async function setScopes(id: string, scopes: readonly string[]): Promise<UserBody> {
  const response = await api(`${USERS}/${id}`, { method: "PUT", body: { scopes } });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json<{ data: UserBody }>()).data;
}

/** The number of audit entries of an action about an object. */
export async function auditOf(action: string, object: string): Promise<number> {
  const query = new URLSearchParams({ action, object }).toString();
  const response = await api(`/api/florin/v1/audit?${query}`);
  return (await response.json<{ cursor: { data: unknown[] } }>()).cursor.data.length;
}

/** Opens a link to choose a password. Returns whether the password was accepted. */
export async function openLink(url: string, password = PASSWORD): Promise<boolean> {
  const { searchParams } = new URL(url);
  const token = searchParams.get("token") ?? "";
  return (await new PageVisitor().post("/api/auth/invitation", { token, password })).ok;
}

/** The link in `data.url` of an answer. */
export const urlOf = async (response: Response): Promise<string> => {
  if (!response.ok) throw new Error(await response.text());
  return (await response.json<{ data: { url: string } }>()).data.url;
};

/** A person whom another person has invited, and who has opened the link. */
export async function invitedBy(
  { call }: Pick<ActingClient, "call">,
  scopes: readonly string[],
): Promise<TestPerson> {
  const email = `${freshName("eve")}@example.com`;
  await openLink(await urlOf(await call(INVITATIONS, { body: { email, scopes } })));
  const response = await api(USERS);
  const { data } = await response.json<{ data: UserBody[] }>();
  const id = data.find((user) => user.email === email)?.id;
  if (id === undefined) throw new Error("the invitation made no person");
  return { id, email, password: PASSWORD };
}

/** Whether a person can log in with the password. */
export async function canLogIn(person: TestPerson): Promise<boolean> {
  const app = await freshApp({ scopes: ALL_SCOPES });
  try {
    await logIn(new PageVisitor(), authorizeUrl(app), person);
    return true;
  } catch {
    return false;
  }
}

/** Adds a passkey of a device to the person who is logged in in a browser. */
export async function addPasskey(visitor: PageVisitor, device: Authenticator): Promise<void> {
  const offered = await visitor.post("/api/auth/passkeys/offer", {});
  const options = await offered.json<{ challenge: string; rp: { id: string } }>();
  const response = device.create(options, BASE_URL);
  const added = await visitor.post("/api/auth/passkeys/add", { response });
  if (!added.ok) throw new Error(await added.text());
}

/** Whether a login with the passkey of a device succeeds. */
export async function canLogInBy(device: Authenticator): Promise<boolean> {
  const visitor = new PageVisitor();
  const form = await openLogin(visitor, authorizeUrl(await freshApp()));
  const asked = await visitor.post("/api/auth/passkeys/ask", form);
  const options = await asked.json<{ challenge: string; rpId: string }>();
  const fields = { ...form, response: device.get(options, BASE_URL) };
  return (await visitor.post("/api/auth/passkeys/log-in", fields)).ok;
}

/**
 * A person who acts through an application, with a token, a refresh token and a browser. The standard application has all
 * scopes.
 */
export async function actingPerson(person: TestPerson, application?: TestApp) {
  const app = application ?? (await freshApp({ scopes: ALL_SCOPES }));
  const visitor = new PageVisitor();
  const scope = ["openid", "offline_access", ...ALL_SCOPES].join(" ");
  const back = await logIn(visitor, authorizeUrl(app, { scope }), person);
  const tokens = await ask({
    grant_type: "authorization_code",
    client_id: app.id,
    code: back.searchParams.get("code") ?? "",
    redirect_uri: app.redirectUri,
    code_verifier: VERIFIER,
  });
  const token = tokens.access_token;
  const refresh = () =>
    ask({
      grant_type: "refresh_token",
      client_id: app.id,
      refresh_token: tokens.refresh_token ?? "",
    });
  const call = (path: string, init: ApiInit = {}) => api(path, { ...init, token });
  return { app, visitor, token, call, refresh };
}
