import { z } from "zod";
import { OperatorError } from "./project.ts";
import type { Target } from "./target.ts";
import { requestToken } from "./token.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

export interface ApiRequest<S extends z.ZodType> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** The schema of the answer; `z.undefined()` for an answer without a body. */
  readonly answer: S;
}

/** The HTTP API of a server, for the commands of operators. */
export class Api {
  readonly #url: string;
  readonly #token: string;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  static async connect(target: Target, scopes: readonly string[]): Promise<Api> {
    return new Api(target.url, await requestToken(target, scopes));
  }

  /** The access token, for requests whose answers are not JSON. */
  get token(): string {
    return this.#token;
  }

  /** Calls the API, and returns the body of a successful answer. Throws `OperatorError` with the server's own sentence for a refusal. */
  async call<S extends z.ZodType>(request: ApiRequest<S>): Promise<z.output<S>> {
    const { method, path, body, answer } = request;
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
    }).catch((cause: unknown) => {
      throw new OperatorError(`${this.#url} no longer answers.`, { cause });
    });
    const text = await response.text();
    if (!response.ok) throw new OperatorError(sentenceOf(response.status, text));
    return answer.parse(text === "" ? undefined : parseJson(text));
  }
}

const Refusal = z.object({ errorMessage: z.string() });

/** The sentence of a refusal, without the code in brackets, which is for programs. */
function sentenceOf(status: number, text: string): string {
  try {
    const { errorMessage } = Refusal.parse(parseJson(text));
    return `The server refuses: ${errorMessage.replace(/^\[\w+\] /, "")}`;
  } catch {
    return `The server answers ${status}: ${text}`; // The body is not Florin's own error body.
  }
}
