import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { OperatorError } from "#scripts/lib/project.ts";

/** Access to Cloudflare's API. */
export interface CloudflareAccess {
  /** The base URL of the API. */
  readonly base: string;
  readonly token: string;
  readonly accountId: string;
}

export const CLOUDFLARE_API = "https://api.cloudflare.com/client/v4";

interface CloudflareRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number().optional(), message: z.string() })).default([]),
  result: z.unknown().optional(),
  result_info: z.object({ total_pages: z.number().optional() }).nullish(),
});
type Envelope = z.output<typeof Envelope>;

/** A refusal by Cloudflare's API. */
export class CloudflareError extends OperatorError {
  override name = "CloudflareError";
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Time after which a request has failed, in milliseconds; a migration of a large table takes long. */
const TIMEOUT_MS = 120_000;
/** Waits before a read, or a request that was refused for its rate, is repeated, in milliseconds. */
const WAITS_MS = [500, 2000, 8000];
const PAGE_SIZE = 100;
const TOO_MANY = 429;
const SERVER_ERROR = 500;
const NOT_FOUND = 404;
const FORBIDDEN = new Set([401, 403]);

/** Cloudflare's REST API for one account. Paths start below the account, unless they begin with `/`. */
export class CloudflareApi {
  readonly #access: CloudflareAccess;
  readonly #waitsMs: readonly number[];

  constructor(access: CloudflareAccess, waitsMs: readonly number[] = WAITS_MS) {
    this.#access = access;
    this.#waitsMs = waitsMs;
  }

  get accountId(): string {
    return this.#access.accountId;
  }

  /** Reads a resource; undefined if there is none. Throws `CloudflareError` for any other refusal. */
  async read<S extends z.ZodType>(
    path: string,
    schema: S,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<z.output<S> | undefined> {
    try {
      return schema.parse((await this.#send(path, { headers })).result);
    } catch (error) {
      if (error instanceof CloudflareError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** Reads all pages of a list. `path` may have a query. */
  async list<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>[]> {
    const rows: z.output<S>[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const separator = path.includes("?") ? "&" : "?";
      const paged = `${path}${separator}page=${page}&per_page=${PAGE_SIZE}`;
      const { result, result_info: info } = await this.#send(paged, {});
      rows.push(...z.array(schema).parse(result));
      pages = info?.total_pages ?? 1;
    }
    return rows;
  }

  /** Changes something. Throws `CloudflareError` for a refusal. */
  async change<S extends z.ZodType>(
    path: string,
    request: CloudflareRequest,
    schema: S,
  ): Promise<z.output<S>> {
    return schema.parse((await this.#send(path, request)).result);
  }

  /** Deletes a resource; nothing happens if it is gone. */
  async remove(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    try {
      await this.#send(path, { method: "DELETE", headers });
    } catch (error) {
      if (error instanceof CloudflareError && error.status === NOT_FOUND) return;
      throw error;
    }
  }

  async #send(path: string, request: CloudflareRequest): Promise<Envelope> {
    const method = request.method ?? "GET";
    for (const waitMs of [...this.#waitsMs, undefined]) {
      const outcome = await this.#try(method, path, request);
      const { response } = outcome;
      const mayRepeat =
        response?.status === TOO_MANY ||
        (method === "GET" && (response === undefined || response.status >= SERVER_ERROR));
      if (waitMs === undefined || !mayRepeat) return openEnvelope(method, path, outcome);
      await delay(waitMs);
    }
    throw new Error("unreachable: the last try returns or throws");
  }

  async #try(method: string, path: string, { body, headers }: CloudflareRequest): Promise<Outcome> {
    const { base, token, accountId } = this.#access;
    const url = path.startsWith("/") ? `${base}${path}` : `${base}/accounts/${accountId}/${path}`;
    try {
      const response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { response, text: await response.text() };
    } catch (error) {
      return { response: undefined, text: String(error) };
    }
  }
}

interface Outcome {
  readonly response: Response | undefined;
  /** The body of the answer, or the error if there is none. */
  readonly text: string;
}

function openEnvelope(method: string, path: string, { response, text }: Outcome): Envelope {
  const what = `${method} ${path}`;
  if (response === undefined) {
    throw new OperatorError(`Cloudflare's API does not answer ${what}: ${text}`);
  }
  const envelope = parseEnvelope(text);
  if (response.ok && envelope?.success === true) return envelope;
  const errors = envelope?.errors.map(({ code, message }) => `${message} (${code ?? "no code"})`);
  const reason = errors?.join("; ") || text.slice(0, 500);
  const hint = FORBIDDEN.has(response.status)
    ? "\nThe token lacks a permission; docs/deployment.md lists those that it needs."
    : "";
  throw new CloudflareError(
    `Cloudflare's API answers ${response.status} to ${what}: ${reason}${hint}`,
    response.status,
  );
}

function parseEnvelope(text: string): Envelope | undefined {
  try {
    return Envelope.parse(JSON.parse(text));
  } catch {
    return undefined; // The answer is not the API's own, but for example that of a proxy.
  }
}
