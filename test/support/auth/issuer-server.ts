import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const ALGORITHM = "RS256";

/** An OpenID provider on a port of loopback, which signs assertions and lets people log in. */
export class IssuerServer {
  /** The requests of the token endpoint: the form and the `Authorization` header of each. */
  readonly redeemed: { readonly form: URLSearchParams; readonly authorization: string }[] = [];
  /** The ID tokens and access tokens that the provider has issued. */
  readonly given: string[] = [];
  readonly #server: Server;
  readonly #keys: Keys;
  /** The nonces of logins by their codes. */
  readonly #codes = new Map<string, string>();

  private constructor(server: Server, keys: Keys) {
    this.#server = server;
    this.#keys = keys;
  }

  static async open(): Promise<IssuerServer> {
    const keys = await generateKeyPair(ALGORITHM);
    const server = createServer((request, response) => {
      void provider
        .#answer(request)
        .then((body) => {
          response.setHeader("content-type", "application/json");
          return response.end(JSON.stringify(body));
        })
        // A failed request gets no answer.
        .catch(() => response.destroy());
    });
    const provider = new IssuerServer(server, keys);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return provider;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // a server that listens on a port
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  /** Signs a token of this issuer, which is valid for five minutes. */
  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: "one" })
      .setIssuer(this.url)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(this.#keys.privateKey);
  }

  /** The URL to which the browser returns after a login. */
  leave(url: string): URL {
    const asked = new URL(url).searchParams;
    const code = crypto.randomUUID();
    this.#codes.set(code, asked.get("nonce") ?? "");
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return back;
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const { url } = this;
    if (request.url === "/keys") {
      return { keys: [{ ...(await exportJWK(this.#keys.publicKey)), kid: "one" }] };
    }
    if (request.url === "/token") return this.#token(request);
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
    };
  }

  async #token(request: IncomingMessage): Promise<object> {
    const form = new URLSearchParams(await text(request));
    this.redeemed.push({ form, authorization: request.headers.authorization ?? "" });
    const nonce = this.#codes.get(form.get("code") ?? "") ?? "";
    const profile = { sub: "user-1", email: "grace@example.com", nonce };
    const id_token = await this.sign({ aud: "florin-there", ...profile });
    const access_token = `at-${crypto.randomUUID()}`;
    this.given.push(id_token, access_token);
    return { id_token, access_token, token_type: "Bearer" };
  }
}
