import { isCodeChallenge } from "./pkce.ts";
import { isStandardScope, mayHave, STANDARD_SCOPES } from "./scopes.ts";
import { AppError } from "#platform/errors.ts";

/** A request to the authorization endpoint, whose client may get the answer. */
export interface AuthorizeRequest {
  readonly clientId: string;
  /** The redirect URI as it was sent, which is exactly one of those that are registered. */
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly state?: string | undefined;
  /** The requested scopes that the client may have, whoever logs in. */
  readonly scopes: readonly string[];
  readonly nonce?: string | undefined;
  /** The PKCE challenge, of the method S256. */
  readonly codeChallenge?: string | undefined;
  readonly prompts: readonly Prompt[];
  /** Longest time since the person has logged in. */
  readonly maxAgeSeconds?: number | undefined;
  readonly loginHint?: string | undefined;
  readonly idTokenHint?: string | undefined;
}

/** How the answer is written into the redirect URI. */
export type ResponseMode = "query" | "fragment";
type Prompt = (typeof PROMPTS)[number];

/** The errors of RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6 with which the browser goes back to the client. */
export type AuthorizeErrorCode =
  | "invalid_request"
  | "unauthorized_client"
  | "invalid_scope"
  | "login_required"
  | "interaction_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported";

/** An error that the client gets instead of a code. */
export class AuthorizeError extends AppError {
  readonly error: AuthorizeErrorCode;

  constructor(error: AuthorizeErrorCode, description: string) {
    super("VALIDATION", description);
    this.name = "AuthorizeError";
    this.error = error;
  }
}

/** The fields of a client that parsing needs. */
export interface AuthorizingClient {
  readonly id: string;
  readonly public: boolean;
  readonly scopes: readonly string[];
}

const PROMPTS = ["none", "login", "consent", "select_account"] as const;
/** Longest value of a parameter, which is stored while the person logs in, in UTF-16 units. */
const VALUE_LENGTH_MAX = 2048;
/** Longest age that a client may ask for: a hundred years. */
const AGE_SECONDS_MAX = 3_155_760_000;

/** Parses the parameters of a request. The client and its redirect URI are checked already. Throws `AuthorizeError`. */
export function parseAuthorizeRequest(
  params: URLSearchParams,
  { client, redirectUri }: { client: AuthorizingClient; redirectUri: string },
): AuthorizeRequest {
  assertPlain(params);
  const one = (name: string): string | undefined => params.get(name) || undefined;
  assertCode(one("response_type"));
  const codeChallenge = parseChallenge(one("code_challenge"), one("code_challenge_method"), client);
  return {
    clientId: client.id,
    redirectUri,
    responseMode: parseResponseMode(one("response_mode")),
    state: one("state"),
    scopes: parseScopes(one("scope"), client),
    nonce: one("nonce"),
    codeChallenge,
    prompts: parsePrompts(one("prompt")),
    maxAgeSeconds: parseMaxAge(one("max_age")),
    loginHint: one("login_hint"),
    idTokenHint: one("id_token_hint"),
  };
}

/** The target of an error, read from a request that may be wrong. */
export function readAnswerTarget(
  params: URLSearchParams,
  redirectUri: string,
): Pick<AuthorizeRequest, "redirectUri" | "responseMode" | "state"> {
  const states = params.getAll("state");
  return {
    redirectUri,
    responseMode: params.get("response_mode") === "fragment" ? "fragment" : "query",
    state: states.length === 1 ? states[0] : undefined,
  };
}

/** The scopes of a code: the requested scopes that the person may have, and those of OpenID Connect. */
export function grantableScopes(
  requested: readonly string[],
  ofPerson: readonly string[],
): string[] {
  return requested.filter((scope) => isStandardScope(scope) || mayHave(ofPerson, scope));
}

/** Refuses parameters that come twice (RFC 6749 §3.1), values that are too long, and request objects, which would hold parameters of their own. */
function assertPlain(params: URLSearchParams): void {
  if (params.has("request")) {
    throw new AuthorizeError("request_not_supported", "request objects are not supported");
  }
  if (params.has("request_uri")) {
    throw new AuthorizeError("request_uri_not_supported", "request_uri is not supported");
  }
  if (params.has("registration")) {
    throw new AuthorizeError("registration_not_supported", "registration is not supported");
  }
  for (const name of new Set(params.keys())) {
    const [value = "", ...others] = params.getAll(name);
    if (others.length > 0) {
      throw new AuthorizeError("invalid_request", `${name} is given more than once`);
    }
    if (value.length > VALUE_LENGTH_MAX && name !== "id_token_hint") {
      throw new AuthorizeError(
        "invalid_request",
        `${name} is longer than ${VALUE_LENGTH_MAX} characters`,
      );
    }
  }
}

function assertCode(responseType: string | undefined): void {
  if (responseType === undefined)
    throw new AuthorizeError("invalid_request", "response_type missing");
  if (responseType === "code") return;
  // The reference answers this code, though RFC 6749 has unsupported_response_type.
  throw new AuthorizeError("unauthorized_client", "response_type is not code");
}

/** Parses the PKCE challenge. A public client needs one. Nobody may use the method `plain`, which shows the verifier to everybody. */
function parseChallenge(
  challenge: string | undefined,
  method: string | undefined,
  client: AuthorizingClient,
): string | undefined {
  if (challenge === undefined) {
    if (method !== undefined || client.public) {
      throw new AuthorizeError("invalid_request", "code_challenge required");
    }
    return undefined;
  }
  if (method !== "S256") {
    throw new AuthorizeError("invalid_request", "code_challenge_method must be S256");
  }
  if (isCodeChallenge(challenge)) return challenge;
  throw new AuthorizeError("invalid_request", "code_challenge is not a SHA-256 in base64url");
}

function parseResponseMode(mode: string | undefined): ResponseMode {
  if (mode === undefined || mode === "query") return "query";
  if (mode === "fragment") return mode;
  throw new AuthorizeError("invalid_request", "response_mode is neither query nor fragment");
}

/** Parses the scopes. Scopes that the client may not have are left out without an error. */
function parseScopes(scope: string | undefined, client: AuthorizingClient): string[] {
  const asked = new Set((scope ?? "").split(" ").filter((item) => item !== ""));
  if (asked.size === 0) throw new AuthorizeError("invalid_request", "scope missing");
  if (!asked.has("openid")) throw new AuthorizeError("invalid_scope", "scope openid missing");
  const allowed = new Set([...STANDARD_SCOPES, ...client.scopes]);
  return [...asked].filter((item) => allowed.has(item));
}

/** Parses the prompts. Clients are registered by operators and need no consent, so `consent` has no effect. */
function parsePrompts(prompt: string | undefined): Prompt[] {
  const prompts = (prompt ?? "").split(" ").filter((item) => item !== "");
  const known = prompts.map((item) => {
    const found = PROMPTS.find((name) => name === item);
    if (found !== undefined) return found;
    throw new AuthorizeError("invalid_request", "prompt has an unknown value");
  });
  if (known.includes("none") && known.length > 1) {
    throw new AuthorizeError("invalid_request", "prompt none excludes all others");
  }
  return known;
}

function parseMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= AGE_SECONDS_MAX) return seconds;
  throw new AuthorizeError("invalid_request", "max_age is not a number of seconds");
}
