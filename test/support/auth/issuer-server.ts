import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const ALGORITHM = "RS256";

/** Another OpenID provider, on a port of loopback: it signs assertions, and people log in there. */
export class IssuerServer {
  /** What its token endpoint was sent, with the `Authorization` header. */
  readonly redeemed: { readonly form: URLSearchParams; readonly authorization: string }[] = [];
  /** The ID tokens and access tokens that it has given. */
  readonly given: string[] = [];
  readonly #server: Server;
  readonly #keys: Keys;
  /** The nonce of the login that a code belongs to. */
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
        // An answer that is lost.
        .catch(() => response.destroy());
    });
    const provider = new IssuerServer(server, keys);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return provider;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port, not on a pipe
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  /** A token of this issuer that is good for five minutes. */
  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: "one" })
      .setIssuer(this.url)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(this.#keys.privateKey);
  }

  /** Where the browser goes back to after a login for which it came with a URL. */
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
