import { createHash, randomBytes } from "node:crypto";
import * as oauth from "oauth4webapi";
import { afterEach, expect, test } from "vitest";
import { signInFirstPerson } from "#scripts/lib/first-person.ts";
import { locationOf, Visitor } from "#test/support/auth/visitor.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const OPTIONS = { [oauth.allowInsecureRequests]: true };
const CLIENT = { client_id: "florin-console" };

let server: LocalServer | undefined;

async function start(folder: string, env: NodeJS.ProcessEnv = {}): Promise<LocalServer> {
  await server?.stop();
  server = await LocalServer.start(folder, env);
  return server;
}

afterEach(async () => {
  await server?.killAll();
  server = undefined;
});

const linkOf = ({ welcome }: LocalServer): URL | undefined => {
  const [link] = /http\S+\/console\/sign-in#\S+/.exec(welcome) ?? [];
  return link === undefined ? undefined : new URL(link);
};

/** A browser at a server, by one of its host names. */
const browserAt = (origin: string): Visitor =>
  new Visitor({ origin, fetch: (path, init) => fetch(origin + path, init) });

const signIn = (visitor: Visitor, link: URL | undefined): Promise<Response> =>
  visitor.postJson("/api/auth/sign-in", { secret: link?.hash.slice(1) });

/** Goes through the code flow with PKCE as the console does; returns the tokens, checked by a library that nobody here wrote. */
async function silently(visitor: Visitor, origin: string) {
  const issuer = new URL(`${origin}/api/auth`);
  const found = await oauth.discoveryRequest(issuer, OPTIONS);
  const as = await oauth.processDiscoveryResponse(issuer, found);
  const verifier = randomBytes(32).toString("base64url");
  const [state, nonce] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  const redirectUri = `${origin}/console/callback`;
  const query = new URLSearchParams({
    ...CLIENT,
    redirect_uri: redirectUri,
    response_type: "code",
    response_mode: "query",
    prompt: "none",
    scope: (as.scopes_supported ?? []).filter((scope) => scope !== "offline_access").join(" "),
    state,
    nonce,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const sent = await visitor.get(`${as.authorization_endpoint ?? ""}?${query.toString()}`);
  const back = oauth.validateAuthResponse(as, CLIENT, new URL(locationOf(sent)), state);
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    CLIENT,
    oauth.None(),
    back,
    redirectUri,
    verifier,
    OPTIONS,
  );
  const expected = { expectedNonce: nonce, requireIdToken: true };
  return oauth.processAuthorizationCodeResponse(as, CLIENT, answer, expected);
}

interface User {
  readonly id: string;
  readonly email: string;
  readonly scopes: readonly string[];
}

async function usersOf(at: LocalServer): Promise<readonly User[]> {
  return ((await at.json("/api/florin/v1/users")) as { data: User[] }).data; // the schema of the answer has this shape
}

test("the link that a start prints signs the first person in, as an administrator, at each host name of the machine", async () => {
  const folder = freshFolder();
  const first = await start(folder);
  const link = linkOf(first);
  expect(link?.origin).toBe(first.url);
  expect(first.welcome).toContain("This link signs in to the console, once, within ten minutes:");
  expect(first.welcome).toContain(`Console        ${first.url}/console\n`);
  const visitor = browserAt(first.url);
  expect((await signIn(visitor, link)).status).toBe(204);
  expect((await signIn(browserAt(first.url), link)).status).toBe(404);
  const tokens = await silently(visitor, first.url);
  expect(tokens.refresh_token).toBeUndefined();
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const made = await fetch(`${first.url}/api/ledger/v2/books`, { method: "POST", headers });
  expect(made.status).toBe(204);
  const users = await usersOf(first);
  expect(users).toMatchObject([{ email: "operator@localhost", name: "Operator" }]);

  // The browser knows the other name of the machine as another site, which has an issuer and a session of its own.
  const named = first.url.replace("127.0.0.1", "localhost");
  const again = await first.json("/api/florin/v1/sign-in-links", {
    body: { personId: users[0]?.id },
  });
  const atName = browserAt(named);
  const { url } = (again as { data: { url: string } }).data; // the schema of the answer has this shape
  expect((await signIn(atName, new URL(url))).status).toBe(204);
  expect((await silently(atName, named)).token_type).toBe("bearer");

  const second = await start(folder);
  const next = linkOf(second);
  expect(next?.hash).not.toBe(link?.hash);
  expect((await signIn(browserAt(second.url), next)).status).toBe(204);
  expect(await usersOf(second)).toEqual(users);

  await second.json(`/api/florin/v1/users/${users[0]?.id ?? ""}`, {
    method: "PUT",
    body: { scopes: ["ledger:write"] },
  });
  // What the next start would print.
  const settings = {
    publicUrl: second.url,
    loginIssuer: undefined,
    scopes: users[0]?.scopes ?? [],
  };
  expect(await signInFirstPerson(second, settings)).toEqual({
    sentence: expect.stringContaining(
      "There is no link to sign in, because operator@localhost is no administrator here.",
    ) as string,
  });
});

test("a start that the public or nobody signs in to prints no link, and makes nobody an administrator", async () => {
  const folder = freshFolder();
  const open = await start(folder, { FLORIN_PUBLIC_URL: "https://pay.example.com/florin/" });
  expect(linkOf(open)).toBeUndefined();
  expect(open.welcome).toContain("Console        https://pay.example.com/florin/console\n");
  expect(open.welcome).toMatch(
    /The first person signs in by an invitation: npm run florin -- people invite --scopes ledger:write,\S+\n/,
  );
  expect(await usersOf(open)).toEqual([]);

  const off = await start(folder, { FLORIN_AUTH: "off" });
  expect(off.welcome).not.toContain("sign");
  expect(await usersOf(off)).toEqual([]);
});
