import { decodeProtectedHeader, jwtVerify } from "jose";
import { z } from "zod";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import { authSettings } from "#modules/auth/settings.ts";
import {
  fetchIssuerKeys,
  fetchDiscovery,
  type IssuerAccess,
} from "#modules/auth/verification/trusted-issuer.ts";
import {
  callOutbound,
  OPEN_GATE,
  type OutboundCall,
  systemFetch,
} from "#platform/http/outbound.ts";
import { parseJson } from "#platform/json.ts";
import { memoByEnv } from "#platform/memo.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** The person who has logged in, by the provider. */
export interface UpstreamIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The e-mail address; empty if the provider names none. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  /** When the person has logged in, in seconds since the epoch, if the provider names it. */
  readonly authTime: number | undefined;
}

/** The values that bind a login at the provider to the browser that has begun it. */
export interface UpstreamLogin {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly codeChallenge: string;
  /** The URL to which the provider sends the browser back. */
  readonly redirectUri: string;
}

/** A request to an endpoint of the provider. */
type ProviderCall = Pick<OutboundCall, "method" | "headers" | "body"> & { readonly url: string };

interface UpstreamClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

const Discovery = z.object({
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
});
type Discovery = z.output<typeof Discovery>;

const Tokens = z.object({ id_token: z.string(), access_token: z.string() });
const Profile = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).default(""),
  // Some providers write the boolean as a text.
  email_verified: z.union([z.boolean(), z.enum(["true", "false"])]).default(false),
  name: z.string().max(256).default(""),
});
const IdClaims = Profile.extend({
  nonce: z.string(),
  azp: z.string().optional(),
  aud: z.union([z.string(), z.array(z.string())]),
  auth_time: z.number().min(0).optional(),
});

const TIMEOUT_MS = 10_000;
/** Largest answer of the provider, in bytes. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** How long the provider's discovery document is used, in milliseconds. */
const DISCOVERY_MS_MAX = 10 * 60_000;
/** Shortest time between two loads of keys because of an unknown key, in milliseconds. */
const KEYS_PAUSE_MS = 30_000;
/** Largest difference between the provider's clock and ours, in seconds. */
const CLOCK_SKEW_SECONDS = 5;

/**
 * A client of the OpenID provider that the settings name. Its errors are sentences for the operator's log.
 *
 *     authorizeUrl ─► browser logs in at the provider ─► callback with a code ─► identify: code ─► ID token, checked ─► person
 */
export class UpstreamProvider {
  /** The provider of the settings; undefined if people log in at our own page. */
  static readonly of = memoByEnv((env: Env): UpstreamProvider | undefined => {
    const {
      FLORIN_LOGIN_ISSUER: issuer,
      FLORIN_LOGIN_CLIENT_ID: clientId,
      FLORIN_LOGIN_CLIENT_SECRET: clientSecret,
    } = authSettings.of(env);
    if (issuer === undefined || clientId === undefined) return undefined;
    const policy = { allowPrivateHosts: platformSettings.of(env).FLORIN_ALLOW_PRIVATE_HOSTS };
    return new UpstreamProvider(
      { issuer, clientId, clientSecret },
      { fetch: systemFetch(env), policy },
    );
  });

  readonly #client: UpstreamClient;
  readonly #access: IssuerAccess;
  readonly #keys: KeyCache;
  #discovery: { document: Discovery; readMs: number } | undefined;

  constructor(client: UpstreamClient, access: IssuerAccess) {
    this.#client = client;
    this.#access = access;
    this.#keys = new KeyCache({
      issuer: client.issuer,
      load: () => fetchIssuerKeys(client.issuer, access),
      nowMs: () => Date.now(),
      pauseMs: KEYS_PAUSE_MS,
    });
  }

  get issuer(): string {
    return this.#client.issuer;
  }

  /** The URL of the provider's login. `hints` are further parameters, which pass on the wishes of the client. */
  async authorizeUrl(
    login: UpstreamLogin,
    hints: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#discover();
    const url = new URL(endpoint);
    const params = {
      response_type: "code",
      client_id: this.#client.clientId,
      redirect_uri: login.redirectUri,
      scope: "openid email profile",
      state: login.state,
      nonce: login.nonce,
      code_challenge: login.codeChallenge,
      code_challenge_method: "S256",
      ...hints,
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Redeems a code of the provider and verifies its ID token. Returns the person who has logged in. */
  async identify(login: UpstreamLogin, code: string): Promise<UpstreamIdentity> {
    const discovery = await this.#discover();
    const tokens = Tokens.parse(await this.#redeem(discovery, login, code));
    const claims = await this.#verify(tokens.id_token, login.nonce);
    const profile = await this.#profile(discovery, claims, tokens.access_token);
    return {
      issuer: this.#client.issuer,
      subject: claims.sub,
      email: profile.email,
      emailVerified: String(profile.email_verified) === "true",
      name: profile.name,
      authTime: claims.auth_time,
    };
  }

  async #discover(): Promise<Discovery> {
    const nowMs = Date.now();
    const known = this.#discovery;
    if (known !== undefined && Math.abs(nowMs - known.readMs) < DISCOVERY_MS_MAX) {
      return known.document;
    }
    const document = Discovery.parse(await fetchDiscovery(this.#client.issuer, this.#access));
    this.#discovery = { document, readMs: nowMs };
    return document;
  }

  #redeem(discovery: Discovery, login: UpstreamLogin, code: string): Promise<unknown> {
    const { clientId, clientSecret } = this.#client;
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: login.redirectUri,
      code_verifier: login.codeVerifier,
    });
    const isBasic =
      clientSecret !== undefined &&
      discovery.token_endpoint_auth_methods_supported.includes("client_secret_basic");
    if (!isBasic) form.set("client_id", clientId);
    if (!isBasic && clientSecret !== undefined) form.set("client_secret", clientSecret);
    const basic = [clientId, clientSecret ?? ""].map(encodeURIComponent).join(":");
    return this.#call({
      method: "POST",
      url: discovery.token_endpoint,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(isBasic ? { authorization: `Basic ${btoa(basic)}` } : {}),
      },
      body: form.toString(),
    });
  }

  /** Verifies an ID token (OpenID Connect Core §3.1.3.7). */
  async #verify(idToken: string, nonce: string): Promise<z.output<typeof IdClaims>> {
    const { issuer, clientId } = this.#client;
    const key = await this.#keys.find(decodeProtectedHeader(idToken).kid);
    if (key === undefined) throw new Error(`the ID token of ${issuer} has an unknown key`);
    const { payload } = await jwtVerify(idToken, key, {
      algorithms: [TOKEN_ALGORITHM],
      issuer,
      audience: clientId,
      requiredClaims: ["exp", "iat", "sub"],
      clockTolerance: CLOCK_SKEW_SECONDS,
    });
    const claims = IdClaims.parse(payload);
    if (claims.nonce !== nonce) throw new Error(`the ID token of ${issuer} is for another login`);
    const audiences = typeof claims.aud === "string" ? [claims.aud] : claims.aud;
    if ((claims.azp ?? clientId) !== clientId || (audiences.length > 1 && !claims.azp)) {
      throw new Error(`the ID token of ${issuer} is for another client`);
    }
    return claims;
  }

  /** The claims of the person: those of the ID token or, if it has no e-mail address, those of the userinfo endpoint. */
  async #profile(
    discovery: Discovery,
    claims: z.output<typeof IdClaims>,
    accessToken: string,
  ): Promise<z.output<typeof Profile>> {
    if (claims.email !== "" || discovery.userinfo_endpoint === undefined) return claims;
    const answer = await this.#call({
      method: "GET",
      url: discovery.userinfo_endpoint,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const profile = Profile.parse(answer);
    if (profile.sub === claims.sub) return profile;
    throw new Error(
      `${this.#client.issuer}: the answer of userinfo is about another person than the ID token`,
    );
  }

  async #call(call: ProviderCall): Promise<unknown> {
    const { protocol, origin, pathname } = new URL(call.url);
    // Secrets are sent only over https, unless the issuer itself is an http URL.
    if (protocol !== "https:" && protocol !== new URL(this.#client.issuer).protocol) {
      throw new Error(`${origin}${pathname} is not https`);
    }
    const headers = { accept: "application/json", ...call.headers };
    const limits = { timeoutMs: TIMEOUT_MS, bodyBytesMax: ANSWER_BYTES_MAX };
    const result = await callOutbound(
      { ...call, headers, ...limits },
      { ...this.#access, gate: OPEN_GATE },
    );
    if (result.kind === "unreachable") {
      throw new Error(`${origin}${pathname} is not reachable: ${result.error}`);
    }
    if (result.status !== 200) throw new Error(`${origin}${pathname} answers ${result.status}`);
    return parseJson(new TextDecoder().decode(result.body));
  }
}
