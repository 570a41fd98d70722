import { PageVisitor } from "./pages.ts";
import { api, BASE_URL, freshName } from "#test/support/platform/api.ts";

export { locationOf, logIn, nextOf, openLogin } from "./visitor.ts";

export const ISSUER = `${BASE_URL}/api/auth`;
export const PASSWORD = "correct horse battery";
/** The code verifier and the code challenge of the example in RFC 7636. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** A person who can log in at Florin's own page. */
export interface TestPerson {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** Makes a person by an invitation. */
export async function freshPerson(...scopes: readonly string[]): Promise<TestPerson> {
  const email = `${freshName("ada")}@example.com`;
  const invited = await api("/api/florin/v1/invitations", { body: { email, scopes } });
  const { data } = await invited.json<{ data: { url: string } }>();
  const token = new URL(data.url).searchParams.get("token") ?? "";
  await new PageVisitor().post("/api/auth/invitation", { token, password: PASSWORD });
  const users = await api("/api/auth/users");
  const known = await users.json<{ data: { id: string; email: string }[] }>();
  const id = known.data.find((user) => user.email === email)?.id;
  if (id === undefined) throw new Error("the invitation made no person");
  return { id, email, password: PASSWORD };
}

/** A client to which people log in. */
export interface TestApp {
  readonly id: string;
  readonly redirectUri: string;
}

/** Makes a client that can send people to log in. The client is public, unless `fields` say otherwise. */
export async function freshApp(fields: object = {}): Promise<TestApp> {
  const id = freshName("app");
  const redirectUri = "https://app.example.com/callback";
  const body = {
    id,
    public: true,
    redirectUris: [redirectUri],
    scopes: ["ledger:read"],
    ...fields,
  };
  const response = await api("/api/auth/clients", { body });
  if (!response.ok) throw new Error(await response.text());
  return { id, redirectUri };
}

/** The URL of an authorization request, without undefined parameters. */
export function authorizeUrl(
  app: TestApp,
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const all = {
    client_id: app.id,
    redirect_uri: app.redirectUri,
    response_type: "code",
    scope: "openid ledger:read",
    state: "the-state",
    nonce: "the-nonce",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...params,
  };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/api/auth/authorize?${new URLSearchParams(given).toString()}`;
}
