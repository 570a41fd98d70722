import * as oauth from "oauth4webapi";
import { allowsLedger } from "./ledger-patterns.ts";
import type { Output } from "./operations.ts";
import type { paths } from "#openapi";
import { parseJson } from "#platform/json.ts";

/** The built-in client of the console at Florin's own OAuth server. */
const CLIENT: oauth.Client = { client_id: "florin-console" };
/** Paths of the console that the client is registered with. */
const CALLBACK_PATH = "/console/callback";
const SIGNED_OUT_PATH = "/console";
const ISSUER_PATH = "/api/auth";
const WALLETS_INFO_PATH = "/api/wallets/_info" satisfies keyof paths;

type WalletsInfo = Output<"get", typeof WALLETS_INFO_PATH>;

/** Tokens of a sign-in, in memory only. */
export interface Grant {
  /** The id of the person. */
  readonly subject: string;
  readonly accessToken: string;
  /** The end of the access token, in milliseconds since the epoch. */
  readonly expiresMs: number;
  readonly scopes: readonly string[];
  readonly idToken: string | undefined;
  /** Patterns of the only ledgers that the token reaches; empty for all. */
  readonly ledgers: readonly string[];
  /** Whether the ledger of the wallets is one of these. */
  readonly reachesWallets: boolean;
}

/** Who a person is, as far as the server knows. */
export interface PersonClaims {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** What the page has to remember between an authorization request and its answer. */
export interface PendingSignIn {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** The calls of Florin's OAuth server (code flow with PKCE, RFC 7636), which is at the same origin. */
export class Issuer {
  readonly #server: oauth.AuthorizationServer;
  readonly #origin: string;

  private constructor(server: oauth.AuthorizationServer, origin: string) {
    this.#server = server;
    this.#origin = origin;
  }

  /**
   * Reads what the server says of itself. A page at another origin than the server's public URL moves there, because people sign in only at
   * that one; the promise then never settles.
   */
  static async discover(origin: string): Promise<Issuer> {
    const response = await oauth.discoveryRequest(new URL(ISSUER_PATH, origin), INSECURE);
    const { issuer } = parseJson(await response.clone().text()) as { issuer: string }; // OpenID Connect Discovery 1.0 requires the issuer.
    if (new URL(issuer).origin !== origin) {
      const { pathname, search, hash } = location;
      location.replace(`${issuer.slice(0, -ISSUER_PATH.length)}${pathname}${search}${hash}`);
      return new Promise(() => undefined);
    }
    return new Issuer(await oauth.processDiscoveryResponse(new URL(issuer), response), origin);
  }

  /** The URL of the authorization endpoint for a new sign-in, and what its answer is checked against. */
  async authorizationUrl(prompt?: "none"): Promise<{ url: URL; pending: PendingSignIn }> {
    const pending: PendingSignIn = {
      verifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
    };
    const url = new URL(this.#server.authorization_endpoint ?? "", this.#origin);
    const parameters = {
      client_id: CLIENT.client_id,
      redirect_uri: this.#redirectUri,
      response_type: "code",
      scope: (this.#server.scopes_supported ?? ["openid"])
        .filter((scope) => scope !== "offline_access")
        .join(" "),
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
      state: pending.state,
      nonce: pending.nonce,
      ...(prompt === undefined ? {} : { prompt }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url, pending };
  }

  /**
   * Exchanges the code of an answer of the authorization endpoint for tokens. Throws `oauth.AuthorizationResponseError`, for example
   * with the error `login_required`, if the answer has no code.
   */
  async redeem(answer: URL, { verifier, state, nonce }: PendingSignIn): Promise<Grant> {
    const parameters = oauth.validateAuthResponse(this.#server, CLIENT, answer, state);
    const response = await oauth.authorizationCodeGrantRequest(
      this.#server,
      CLIENT,
      oauth.None(),
      parameters,
      this.#redirectUri,
      verifier,
      INSECURE,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(
      this.#server,
      CLIENT,
      response,
      checks,
    );
    const { sub: subject = "" } = oauth.getValidatedIdTokenClaims(tokens) ?? {};
    const ledgers = ledgersOf(tokens.access_token);
    return {
      subject,
      accessToken: tokens.access_token,
      expiresMs: Date.now() + (tokens.expires_in ?? 0) * 1000,
      scopes: tokens.scope?.split(" ") ?? [],
      idToken: tokens.id_token,
      ledgers,
      reachesWallets: await this.#reachesWallets(ledgers),
    };
  }

  /** Reads who the person of a grant is. */
  async readPerson({
    accessToken,
    subject,
  }: Pick<Grant, "accessToken" | "subject">): Promise<PersonClaims> {
    const response = await oauth.userInfoRequest(this.#server, CLIENT, accessToken, INSECURE);
    const claims = await oauth.processUserInfoResponse(this.#server, CLIENT, subject, response);
    return { name: textOf(claims.name), email: textOf(claims.email) };
  }

  /** The URL that ends the session of the browser, and leads back to the console. */
  endSessionUrl({ idToken }: Pick<Grant, "idToken">): URL {
    const url = new URL(this.#server.end_session_endpoint ?? "", this.#origin);
    url.searchParams.set("client_id", CLIENT.client_id);
    url.searchParams.set("post_logout_redirect_uri", `${this.#origin}${SIGNED_OUT_PATH}`);
    if (idToken !== undefined) url.searchParams.set("id_token_hint", idToken);
    return url;
  }

  /** Whether a token that is bound to ledgers reaches the one of the wallets. Where the server does not say it, its refusals do. */
  async #reachesWallets(ledgers: readonly string[]): Promise<boolean> {
    if (ledgers.length === 0) return true;
    const answer = await fetch(new URL(WALLETS_INFO_PATH, this.#origin), { credentials: "omit" });
    const { ledger } = parseJson(await answer.text()) as Partial<WalletsInfo>; // A refusal has no ledger.
    return ledger === undefined || allowsLedger(ledgers, ledger);
  }

  get #redirectUri(): string {
    return `${this.#origin}${CALLBACK_PATH}`;
  }
}

/** Allows a server on loopback without TLS. Browsers give the page no cryptography on other origins without TLS. */
const INSECURE = { [oauth.allowInsecureRequests]: true };

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The claim `ledgers` of an access token. Only the page's offers follow from it: the server checks the token. */
function ledgersOf(token: string): readonly string[] {
  const [, payload = ""] = token.split(".");
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (c) =>
    c.charCodeAt(0),
  );
  const { ledgers } = parseJson(new TextDecoder().decode(bytes)) as { ledgers?: unknown };
  return Array.isArray(ledgers) ? ledgers.map(String) : [];
}
