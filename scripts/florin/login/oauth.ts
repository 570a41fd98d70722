import { z } from "zod";
import { parseJson } from "#platform/json.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The client of the command line, which every server has built in. */
const CLIENT_ID = "florin-cli";

/** Longest wait for an answer of the OAuth server, in milliseconds. */
const WAIT_MS_MAX = 30_000;

const DeviceCodes = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number(),
  interval: z.number().default(5),
});
/** The answer of the device authorization endpoint (RFC 8628 §3.2). */
export type DeviceCodes = z.output<typeof DeviceCodes>;

const TokenSet = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  scope: z.string(),
});
/** The tokens of a person's login. */
export type TokenSet = z.output<typeof TokenSet>;

const OAuthRefusal = z.object({ error: z.string(), error_description: z.string().optional() });

const UNKNOWN_CLIENT =
  "The server has no client for the command line: it is an earlier version, or FLORIN_DEVICE_LOGINS is off there. A client of its own gets in by FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET.";

/** A refusal by the OAuth server (RFC 6749 §5.2). */
export class RefusedError extends OperatorError {
  readonly code: string;
  readonly status: number;

  constructor(status: number, { error, error_description: text }: z.output<typeof OAuthRefusal>) {
    super(error === "invalid_client" ? UNKNOWN_CLIENT : `The server refuses: ${text ?? error}`);
    this.name = "RefusedError";
    this.code = error;
    this.status = status;
  }
}

/** The OAuth server of a deployment, as the command line's own client uses it. */
export class OAuthServer {
  readonly #url: string;
  readonly #fetch: typeof fetch;

  constructor(url: string, send: typeof fetch = fetch) {
    this.#url = url;
    this.#fetch = send;
  }

  /** The scopes of the server's modules. */
  async scopes(): Promise<string[]> {
    const path = "/api/auth/.well-known/openid-configuration";
    const { scopes_supported: scopes } = await this.#ask(
      path,
      {},
      z.object({ scopes_supported: z.array(z.string()) }),
    );
    return scopes.filter((scope) => scope.includes(":"));
  }

  beginDevice(scopes: readonly string[]): Promise<DeviceCodes> {
    return this.#post("/api/auth/device_authorization", { scope: scopes.join(" ") }, DeviceCodes);
  }

  redeemDevice(deviceCode: string): Promise<TokenSet> {
    const form = {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: deviceCode,
    };
    return this.#post("/api/auth/oauth/token", form, TokenSet);
  }

  refresh(refreshToken: string): Promise<TokenSet> {
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    return this.#post("/api/auth/oauth/token", form, TokenSet);
  }

  /** Ends a login by its refresh token. */
  async revoke(refreshToken: string): Promise<void> {
    await this.#post("/api/auth/revoke", { token: refreshToken }, z.unknown());
  }

  /** The e-mail address of the person whose token it is. */
  async personOf(accessToken: string): Promise<string> {
    const headers = { authorization: `Bearer ${accessToken}` };
    const schema = z.object({ sub: z.string(), email: z.string().optional() });
    const { sub, email } = await this.#ask("/api/auth/userinfo", { headers }, schema);
    return email ?? sub;
  }

  #post<S extends z.ZodType>(
    path: string,
    form: Readonly<Record<string, string>>,
    schema: S,
  ): Promise<z.output<S>> {
    const body = new URLSearchParams({ client_id: CLIENT_ID, ...form });
    return this.#ask(path, { method: "POST", body }, schema);
  }

  async #ask<S extends z.ZodType>(path: string, init: RequestInit, schema: S) {
    const signal = AbortSignal.timeout(WAIT_MS_MAX);
    const send = this.#fetch;
    // A redirection would carry a token to another server.
    const request = { ...init, redirect: "error", signal } as const;
    const [status, text] = await send(new URL(path, this.#url), request)
      .then(async (answer) => [answer.status, await answer.text()] as const)
      .catch((cause: unknown) => {
        throw new SilentError(`${this.#url} does not answer.`, { cause });
      });
    if (status >= 500) throw new SilentError(`${this.#url} answers ${status}.`);
    const body = text === "" ? undefined : parsed(text);
    const refused = OAuthRefusal.safeParse(body);
    if (status >= 400 && refused.success) throw new RefusedError(status, refused.data);
    const answer = schema.safeParse(body);
    if (status < 400 && answer.success) return answer.data;
    throw new OperatorError(`${this.#url} is no Florin server: ${path} answers ${status}.`);
  }
}

/** The error of a server that does not answer now. */
export class SilentError extends OperatorError {
  override name = "SilentError";
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // The text is no JSON.
  }
}
