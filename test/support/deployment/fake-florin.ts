import { createServer, type Server } from "node:http";

/** The answers of a healthy deployment to what the command asks after a change, by method and path. */
const ANSWERS: readonly (readonly [RegExp, unknown])[] = [
  [/^GET \/versions$/, { versions: [{ name: "ledger", health: true }] }],
  [/^POST \/api\/auth\/oauth\/token$/, { access_token: "token" }],
  [/^POST \/api\/webhooks\/configs$/, { data: { id: "config" } }],
  [/^POST \/api\/ledger\/v2\/smoke-test-\d+(\/transactions)?$/, {}],
  [/^GET \/api\/webhooks\/deliveries$/, { cursor: { data: [{ status: "succeeded" }] } }],
  [/^DELETE \/api\/webhooks\/configs\/config$/, {}],
  [/^DELETE \/api\/ledger\/v2\/_\/buckets\/smoke-test-\d+$/, {}],
  [/^GET \/api\/florin\/v1\/users$/, { data: [] }],
  [
    /^GET \/api\/auth\/.well-known\/openid-configuration$/,
    { issuer: "https://florin.example.com/api/auth", scopes_supported: ["openid", "ledger:write"] },
  ],
  [
    /^POST \/api\/florin\/v1\/invitations$/,
    { data: { url: "https://florin.example.com/invited", expiresAt: "2026-12-01T00:00:00Z" } },
  ],
];

/** The refusal of a disarmed deployment to test a webhook, whose deliveries wait. */
export const DISARMED = "the deployment has been disarmed since 2026-11-28T00:00:00Z";

/** A stand-in for the deployment itself, whose real smoke test runs against `npm start`. */
export class FakeFlorin {
  /** The requests so far: method and path. */
  readonly calls: string[] = [];
  isDisarmed = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const line = `${request.method} ${request.url?.replace(/\?.*$/, "")}`;
      this.calls.push(line);
      const { status, body } = this.#answerTo(line);
      response.statusCode = status;
      request.resume();
      response.end(JSON.stringify(body));
    });
  }

  static async start(): Promise<FakeFlorin> {
    const fake = new FakeFlorin();
    await new Promise<void>((resolve) => {
      fake.#server.listen(0, "127.0.0.1", resolve);
    });
    return fake;
  }

  #answerTo(line: string): { readonly status: number; readonly body: unknown } {
    if (this.isDisarmed && line === "GET /api/webhooks/deliveries")
      return { status: 200, body: { cursor: { data: [{ status: "pending" }] } } };
    if (this.isDisarmed && line === "GET /api/webhooks/configs/config/test")
      return {
        status: 503,
        body: { errorCode: "INTERNAL", errorMessage: DISARMED, details: "disarmed" },
      };
    const answer = ANSWERS.find(([pattern]) => pattern.test(line));
    return answer === undefined ? { status: 404, body: {} } : { status: 200, body: answer[1] };
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("the fake has stopped");
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
