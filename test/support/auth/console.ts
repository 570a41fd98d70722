import type { TestApp } from "./logins.ts";
import { authorizeUrl, VERIFIER } from "./logins.ts";
import { PageVisitor } from "./pages.ts";
import { ask } from "./token-requests.ts";
import { locationOf } from "./visitor.ts";
import { ALL_SCOPES, api, BASE_URL, freshName } from "#test/support/platform/api.ts";

export const SIGN_IN = "/api/auth/sign-in";
export const SIGN_IN_LINKS = "/api/florin/v1/sign-in-links";

/** The console's own client. */
export const CONSOLE: TestApp = {
  id: "florin-console",
  redirectUri: `${BASE_URL}/console/callback`,
};

export interface SignInLink {
  readonly url: string;
  readonly personId: string;
  readonly email: string;
  readonly expiresAt: string;
}

/** Makes a link that signs a person in. */
export async function offer(call: typeof api, personId?: string): Promise<SignInLink> {
  const response = await call(SIGN_IN_LINKS, { body: { personId } });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json<{ data: SignInLink }>()).data;
}

export const secretOf = ({ url }: Pick<SignInLink, "url">): string => new URL(url).hash.slice(1);

/** Makes a link that signs a person in, and returns its secret. */
export const secretFor = async (call: typeof api, personId?: string): Promise<string> =>
  secretOf(await offer(call, personId));

/** Posts a secret as the page of the link does. */
export const signIn = (visitor: PageVisitor, secret: string): Promise<Response> =>
  visitor.postJson(SIGN_IN, { secret });

/** Whether a secret signs a new browser in. */
export const works = async (secret: string): Promise<boolean> =>
  (await signIn(new PageVisitor(), secret)).status === 204;

/** A browser that a link of the first client has signed in. */
export async function signedIn(personId: string): Promise<PageVisitor> {
  const visitor = new PageVisitor();
  const answer = await signIn(visitor, await secretFor(api, personId));
  if (answer.status !== 204) throw new Error(await answer.text());
  return visitor;
}

const SCOPE = ["openid", ...ALL_SCOPES].join(" ");

/** The answer of the authorization endpoint to the console, which shows nothing to the person. */
export async function askSilently(
  visitor: PageVisitor,
  params: Readonly<Record<string, string | undefined>> = {},
): Promise<URL> {
  const url = authorizeUrl(CONSOLE, { prompt: "none", scope: SCOPE, ...params });
  return new URL(locationOf(await visitor.get(url)));
}

/** The tokens that the console gets for a browser without showing anything. */
export async function signInSilently(visitor: PageVisitor) {
  const state = freshName("state");
  const back = await askSilently(visitor, { state, response_mode: "query" });
  if (back.searchParams.get("state") !== state) throw new Error(`another state: ${back.href}`);
  return ask({
    grant_type: "authorization_code",
    client_id: CONSOLE.id,
    code: back.searchParams.get("code") ?? "",
    redirect_uri: CONSOLE.redirectUri,
    code_verifier: VERIFIER,
  });
}

/** A person without a password. */
export async function freshOperator(...scopes: readonly string[]) {
  const email = `${freshName("operator")}@localhost`;
  const response = await api("/api/florin/v1/users", { body: { email, scopes } });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json<{ data: { id: string; email: string; canLogIn: boolean } }>()).data;
}
