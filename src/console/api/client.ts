import { ApiError } from "./errors.ts";
import type { Input, Method, Output, PathOf } from "./operations.ts";
import type { paths } from "#openapi";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Gives the access token of a request; undefined where the deployment needs none. */
export interface TokenSource {
  readonly token: () => Promise<string | undefined>;
  /** Gives a new token instead of one that the server has refused; undefined if there is none. */
  readonly renew: (refused: string) => Promise<string | undefined>;
}

/** How a write goes out: sent once under its idempotency key, or shown to `record` as code instead of being sent. */
export class WriteCall {
  readonly idempotencyKey: string | undefined;
  readonly record: ((request: WireRequest) => void) | undefined;

  constructor(idempotencyKey: string | undefined, record?: (request: WireRequest) => void) {
    this.idempotencyKey = idempotencyKey;
    this.record = record;
  }

  /** The call of another request of the same write; without a key, the request may be repeated. */
  withKey(idempotencyKey: string | undefined): WriteCall {
    return new WriteCall(idempotencyKey, this.record);
  }
}

interface CallOptions {
  /** Makes a write happen only once. */
  readonly idempotencyKey?: string | undefined;
  /** The id of the last event that the reader of a stream has. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

type Parameter = string | number | bigint | boolean;

interface Loose {
  readonly path?: Readonly<Record<string, Parameter>>;
  readonly query?: Readonly<Record<string, Parameter | readonly Parameter[] | undefined>>;
  readonly body?: unknown;
}

/** A request as it goes over the wire, without its token. The page that shows a request as code takes it from here. */
export interface WireRequest {
  readonly method: string;
  /** The path with its parameters and query, from `/api/` on. */
  readonly url: string;
  readonly body?: string;
  /** The type of a body that is not JSON. */
  readonly contentType?: string;
}

/** The client of Florin's API. Methods throw `ApiError`. */
export class ApiClient {
  readonly #tokens: TokenSource;

  constructor(tokens: TokenSource) {
    this.#tokens = tokens;
  }

  get<P extends PathOf<"get">>(
    path: P,
    input: Input<"get", P>,
    options?: CallOptions,
  ): Promise<Output<"get", P>> {
    return this.#send("get", path, input, options);
  }

  /** A request by `POST` that changes nothing. */
  ask<P extends PathOf<"post">>(
    path: P,
    input: Input<"post", P>,
    options?: CallOptions,
  ): Promise<Output<"post", P>> {
    return this.#send("post", path, input, options);
  }

  post<P extends PathOf<"post">>(
    path: P,
    input: Input<"post", P>,
    call: WriteCall,
  ): Promise<Output<"post", P>> {
    return this.#write("post", path, input, call);
  }

  put<P extends PathOf<"put">>(
    path: P,
    input: Input<"put", P>,
    call: WriteCall,
  ): Promise<Output<"put", P>> {
    return this.#write("put", path, input, call);
  }

  patch<P extends PathOf<"patch">>(
    path: P,
    input: Input<"patch", P>,
    call: WriteCall,
  ): Promise<Output<"patch", P>> {
    return this.#write("patch", path, input, call);
  }

  delete<P extends PathOf<"delete">>(
    path: P,
    input: Input<"delete", P>,
    call: WriteCall,
  ): Promise<Output<"delete", P>> {
    return this.#write("delete", path, input, call);
  }

  /** Sends a write in a form that is not JSON. Gives an answer with any status. */
  send(request: WireRequest, { idempotencyKey, record }: WriteCall): Promise<Response> {
    if (record === undefined) return this.fetch(request, { idempotencyKey });
    record(request);
    return new Promise(() => {});
  }

  /** Sends a request with the token, once more with a new one if the token is refused. Gives an answer with any status. */
  async fetch(
    request: WireRequest,
    { idempotencyKey, lastEventId, signal }: CallOptions = {},
  ): Promise<Response> {
    const send = async (token: string | undefined): Promise<Response> => {
      const headers = new Headers({ accept: "application/json" });
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      if (request.body !== undefined)
        headers.set("content-type", request.contentType ?? "application/json");
      if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
      if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
      try {
        return await fetch(request.url, {
          method: request.method,
          headers,
          credentials: "omit",
          ...(request.body === undefined ? {} : { body: request.body }),
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (error) {
        if (signal?.aborted === true) throw error;
        throw ApiError.unreachable(error);
      }
    };
    const token = await this.#tokens.token().catch(unreachable);
    const response = await send(token);
    if (response.status !== 401 || token === undefined) return response;
    const renewed = await this.#tokens.renew(token).catch(unreachable);
    return renewed === undefined ? response : send(renewed);
  }

  /** Sends a write; one that is recorded is never sent, and never answered. */
  #write<M extends Method, P extends PathOf<M>>(
    ...[method, path, input, { idempotencyKey, record }]: [M, P, Input<M, P>, WriteCall]
  ): Promise<Output<M, P>> {
    if (record === undefined) return this.#send(method, path, input, { idempotencyKey });
    record(toWire(method, path, input as Loose));
    return new Promise(() => {});
  }

  async #send<M extends Method, P extends PathOf<M>>(
    ...[method, path, input, options]: [M, P, Input<M, P>, CallOptions | undefined]
  ): Promise<Output<M, P>> {
    const response = await this.fetch(toWire(method, path, input as Loose), options);
    if (!response.ok) throw await ApiError.from(response);
    const text = await response.text();
    return (text === "" ? undefined : parseJson(text)) as Output<M, P>; // The API document is checked against answers by the server's tests.
  }
}

/** Lets a sign-in that fails count as a server that is away: a refusal is no failure of the sign-in. */
function unreachable(cause: unknown): never {
  throw ApiError.unreachable(cause);
}

/** The wire form of a request. Parameters that are undefined are left out. */
export function toWire(method: Method, path: keyof paths, input: Loose): WireRequest {
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.path?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    const items: readonly (Parameter | undefined)[] = Array.isArray(value)
      ? value
      : [value as Parameter];
    for (const item of items) if (item !== undefined) query.append(name, String(item));
  }
  const url = query.size === 0 ? filled : `${filled}?${query.toString()}`;
  return {
    method: method.toUpperCase(),
    url,
    ...(input.body === undefined ? {} : { body: stringifyJson(input.body) }),
  };
}
