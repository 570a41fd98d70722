import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { vi } from "vitest";

/** Changes of the answers of a `FakeProvider`. */
export interface ProviderAnswers {
  /** Claims of the ID token; `null` removes one. */
  claims?: Readonly<Record<string, unknown>>;
  /** Signs the ID token with a key that is not in the provider's key set. */
  isForged?: boolean;
  /** The status of the token endpoint. */
  tokenStatus?: number;
  userinfo?: Readonly<Record<string, unknown>>;
  discovery?: Readonly<Record<string, unknown>>;
}

/** An OpenID provider in this process, which answers the calls of the Worker's `fetch`. */
export class FakeProvider {
  readonly issuer = "https://login.example.com";
  readonly clientId = "florin-at-provider";
  readonly clientSecret = "the secret at the provider+%";
  answers: ProviderAnswers = {};
  /** The requests of the token endpoint: the form and the `Authorization` header of each. */
  readonly redeemed: { form: URLSearchParams; authorization: string | null }[] = [];
  readonly #keys: Awaited<ReturnType<typeof generateKeyPair>>;
  readonly #otherKeys: Awaited<ReturnType<typeof generateKeyPair>>;
  /** The parameters of authorization requests by their codes. */
  readonly #codes = new Map<string, URLSearchParams>();

  private constructor(
    keys: Awaited<ReturnType<typeof generateKeyPair>>,
    otherKeys: Awaited<ReturnType<typeof generateKeyPair>>,
  ) {
    this.#keys = keys;
    this.#otherKeys = otherKeys;
  }

  /** Starts a provider that answers all calls until mocks are restored. */
  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider(
      await generateKeyPair("RS256"),
      await generateKeyPair("RS256"),
    );
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
      provider.#answer(new Request(input, init)),
    );
    return provider;
  }

  /** The URL to which the provider sends the browser after a login, with a code or an error. */
  leave(url: string, answer: Readonly<Record<string, string>> = {}): string {
    const params = new URL(url).searchParams;
    const code = crypto.randomUUID();
    this.#codes.set(code, params);
    const back = new URL(params.get("redirect_uri") ?? "");
    const given = "error" in answer ? answer : { code, ...answer };
    for (const [name, value] of Object.entries({ state: params.get("state") ?? "", ...given })) {
      back.searchParams.set(name, value);
    }
    return back.href;
  }

  async #answer(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    if (origin !== this.issuer) return new Response(null, { status: 404 });
    if (pathname === "/.well-known/openid-configuration") return Response.json(this.#discovery());
    if (pathname === "/keys") return this.#keySet();
    if (pathname === "/token") return this.#token(request);
    if (pathname === "/userinfo") return Response.json(this.answers.userinfo ?? {});
    return new Response(null, { status: 404 });
  }

  #discovery(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize?tenant=1`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/keys`,
      ...this.answers.discovery,
    };
  }

  async #keySet(): Promise<Response> {
    return Response.json({ keys: [{ ...(await exportJWK(this.#keys.publicKey)), kid: "one" }] });
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
    this.redeemed.push({ form, authorization: request.headers.get("authorization") });
    const code = form.get("code") ?? "";
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const isRight =
      asked?.get("code_challenge") === challenge &&
      asked.get("redirect_uri") === form.get("redirect_uri");
    if (!isRight) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const { tokenStatus: status = 200, isForged = false } = this.answers;
    const nowSeconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: this.clientId,
      sub: "user-1",
      email: "ada@example.com",
      email_verified: true,
      name: "Ada",
      nonce: asked.get("nonce"),
      iat: nowSeconds,
      exp: nowSeconds + 300,
      ...this.answers.claims,
    };
    const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
    const id_token = await new SignJWT(given)
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .sign((isForged ? this.#otherKeys : this.#keys).privateKey);
    return Response.json({ id_token, access_token: "at", token_type: "Bearer" }, { status });
  }
}
