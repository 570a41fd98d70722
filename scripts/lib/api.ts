import type { z } from "zod";
import type { Target } from "./target.ts";
import { requestToken } from "./token.ts";
import { failureOf, UnclearError } from "#platform/backup/saving/calls.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

export { RefusedCall, UnclearError } from "#platform/backup/saving/calls.ts";

/** The path of an operation, and what a call of it has besides a body. */
export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Parameters of the query; those without a value are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiRequest<S extends z.ZodType> extends ApiCall {
  readonly body?: unknown;
  /** The schema of the answer; `z.undefined()` for an answer without a body. */
  readonly answer: S;
}

/** A request whose body or answer is not JSON. */
export interface RawRequest extends ApiCall {
  readonly contentType?: string;
  readonly body?: BodyInit;
}

/** A server, and where a command gets its tokens for it. */
export interface ApiAccess {
  readonly url: string;
  /**
   * A token that allows the scopes. `refused` is an earlier token that the server no longer takes. Throws `OperatorError` where there is none.
   */
  readonly token: (scopes: readonly string[], refused?: string) => Promise<string>;
}

/** The access of a client with a secret. */
export const accessOfClient = (target: Target): ApiAccess => ({
  url: target.url,
  token: (scopes) => requestToken(target, scopes),
});

/** The HTTP API of a server, for the commands of operators. */
export class Api {
  readonly #access: ApiAccess;
  readonly #scopes: readonly string[];
  #token: string;

  private constructor(access: ApiAccess, scopes: readonly string[], token: string) {
    this.#access = access;
    this.#scopes = scopes;
    this.#token = token;
  }

  static connect(target: Target, scopes: readonly string[]): Promise<Api> {
    return Api.open(accessOfClient(target), scopes);
  }

  static async open(access: ApiAccess, scopes: readonly string[]): Promise<Api> {
    return new Api(access, scopes, await access.token(scopes));
  }

  /** The access token, for requests that others send. */
  get token(): string {
    return this.#token;
  }

  /**
   * Calls the API, and returns the body of a successful answer. Throws `OperatorError` with the server's own sentence for a refusal, and its
   * subclass `UnclearError` where nobody knows whether the call was carried out.
   */
  async call<S extends z.ZodType>(request: ApiRequest<S>): Promise<z.output<S>> {
    const { body, answer, ...call } = request;
    const json = body === undefined ? {} : { body: stringifyJson(body) };
    const response = await this.send({ ...call, contentType: "application/json", ...json });
    const text = await this.#textOf(response);
    try {
      return answer.parse(text === "" ? undefined : parseJson(text));
    } catch (cause) {
      throw new UnclearError(
        `${this.#access.url} answers ${response.status} with something else than Florin does.`,
        { cause },
      );
    }
  }

  /** Calls the API, and returns a successful answer as it is. Throws as `call` does. A body that is a stream is sent once. */
  async send(request: RawRequest): Promise<Response> {
    const response = await this.#send(request);
    if (response.ok) return response;
    const text = await this.#textOf(response);
    const isExpired = response.status === UNAUTHORIZED && !isLackOfScope(response);
    if (isExpired && !(request.body instanceof ReadableStream)) {
      // Nothing was done: a login's token lasts for minutes, and a long list takes longer.
      this.#token = await this.#access.token(this.#scopes, this.#token);
      const second = await this.#send(request);
      if (second.ok) return second;
      throw failureOf(second.status, await this.#textOf(second));
    }
    throw failureOf(response.status, text);
  }

  #textOf(response: Response): Promise<string> {
    return response.text().catch((cause: unknown) => {
      throw new UnclearError(`${this.#access.url} has broken off its answer.`, { cause });
    });
  }

  #send({ method, path, query = {}, headers, contentType, body }: RawRequest): Promise<Response> {
    const url = new URL(path, this.#access.url);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const init = {
      method,
      // No operation is redirected, and a redirected POST would become a GET.
      redirect: "manual" as const,
      headers: {
        ...headers,
        authorization: `Bearer ${this.#token}`,
        ...(contentType === undefined ? {} : { "content-type": contentType }),
      },
      ...(body === undefined ? {} : { body, duplex: "half" as const }),
    };
    return fetch(url, init).catch((cause: unknown) => {
      throw new UnclearError(`${this.#access.url} no longer answers.`, { cause });
    });
  }
}

const UNAUTHORIZED = 401;

const isLackOfScope = ({ headers }: Response): boolean =>
  (headers.get("www-authenticate") ?? "").includes("insufficient_scope");
