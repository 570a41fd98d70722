import { SDK } from "@formance/formance-sdk";
import type { z } from "zod";
import type { Target } from "./target.ts";
import { requestToken } from "./token.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/**
 * A client of a Florin server: the official SDK and plain requests. The SDK turns amounts into JavaScript numbers, so that amounts that may
 * exceed 2^53 are sent and read by plain requests.
 */
export class Client {
  readonly sdk: SDK;
  readonly #target: Target;
  readonly #token: string;

  private constructor(target: Target, token: string) {
    this.#target = target;
    this.#token = token;
    this.sdk = new SDK({
      serverURL: target.url,
      security: { clientID: target.clientId, clientSecret: target.clientSecret },
    });
  }

  /** Connects by getting a token, which shows that the server answers and knows the client. */
  static async connect(target: Target): Promise<Client> {
    return new Client(target, await requestToken(target, SCOPES));
  }

  /** Sends a request; integers stay exact in both directions. A refusal is an answer and not an error. */
  async send(
    method: "GET" | "POST" | "DELETE",
    path: string,
    options: SendOptions = {},
  ): Promise<Answer> {
    const { idempotencyKey, body } = options;
    const response = await fetch(new URL(path, this.#target.url), {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      isReplay: response.headers.get("idempotency-hit") === "true",
      body: text === "" ? undefined : parseJson(text),
    };
  }

  /** Posts a text, such as a log, and returns the text of the answer. Throws for a refusal. */
  async exchangeText(path: string, body: string): Promise<string> {
    const response = await fetch(new URL(path, this.#target.url), {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/octet-stream",
      },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${text}`);
    return text;
  }

  /** Gets a path and parses the answer by a schema. Throws unless the answer is a 200 that fits the schema. */
  async get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    const { status, body } = await this.send("GET", path);
    if (status !== 200) throw new Error(`GET ${path} answers ${status}: ${stringifyJson(body)}`);
    return schema.parse(body);
  }
}

export interface SendOptions {
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

export interface Answer {
  readonly status: number;
  readonly isReplay: boolean;
  readonly body: unknown;
}

const SCOPES = ["ledger", "payments", "wallets", "orchestration", "reconciliation"].flatMap(
  (module) => [`${module}:read`, `${module}:write`],
);
