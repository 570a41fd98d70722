import { parseJson, stringifyJson } from "#platform/json.ts";

/** A request as a fake provider reads it. */
export interface PspRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The values of the route's parameters, such as `:id`. */
  readonly params: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parses the body as JSON with members. */
  readonly json: () => Readonly<Record<string, unknown>>;
  /** Parses the body as a form. */
  readonly form: () => URLSearchParams;
}

type Handler = (request: PspRequest) => Response;

/** A fault of the next request. */
export type PspFault =
  /** The request gets this answer, and has no effect. */
  | { readonly answer: (request: PspRequest) => Response }
  /** The request has its effect, and its answer is lost. */
  | { readonly kind: "lose-answer" }
  /** The next request to a path that was read before gets the answer of the earlier read. */
  | { readonly kind: "repeat-answer" }
  /** The request is answered well. */
  | { readonly kind: "none" };

export interface FakePspOptions {
  /** The origins that the fake answers for. Requests to other origins get 404. */
  readonly origins: readonly string[];
  /** The refusal of a request's credentials; undefined for correct ones. */
  readonly refuse: (request: PspRequest) => Response | undefined;
}

/**
 * The HTTP API of a provider in memory. The fake of a provider extends it: it holds the provider's objects in their documented
 * shapes, and has a route for each operation. All fakes have the same faults.
 */
export class FakePsp {
  /** Changes the content of successful answers. */
  spoil: ((answer: unknown) => unknown) | undefined;
  readonly requests: PspRequest[] = [];
  readonly urls: string[] = [];
  readonly #options: FakePspOptions;
  readonly #routes: { method: string; pattern: RegExp; handler: Handler }[] = [];
  readonly #faults: PspFault[] = [];
  readonly #lastAnswers = new Map<string, string>();

  constructor(options: FakePspOptions) {
    this.#options = options;
  }

  /** Adds a route for a method and a path such as `/accounts/:id`. */
  protected route(method: string, path: string, handler: Handler): void {
    const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    this.#routes.push({ method, pattern, handler });
  }

  /** Sets the faults of the next requests, one for each. */
  fail(...faults: readonly PspFault[]): void {
    this.#faults.push(...faults);
  }

  /** Answers as `fetch` does, and throws for a lost answer. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const request = await toPspRequest(new Request(url, init));
    this.requests.push(request);
    this.urls.push(url);
    const fault = this.#nextFault(request);
    if (fault !== undefined && "answer" in fault) return fault.answer(request);
    if (fault?.kind === "repeat-answer") {
      return new Response(this.#lastAnswers.get(request.path), { headers: JSON_HEADERS });
    }
    const response = this.#answer(new URL(url).origin, request);
    if (fault?.kind === "lose-answer") throw new Error("connection lost");
    if (this.spoil !== undefined && response.ok) {
      const text = await response.text();
      const spoilt = text === "" ? text : stringifyJson(this.spoil(parseJson(text)));
      return new Response(text === "" ? null : spoilt, response);
    }
    if (request.method === "GET" && response.ok) {
      this.#lastAnswers.set(request.path, await response.clone().text());
    }
    return response;
  };

  #nextFault({ path }: PspRequest): PspFault | undefined {
    const [fault] = this.#faults;
    const isEarly =
      fault !== undefined &&
      "kind" in fault &&
      fault.kind === "repeat-answer" &&
      !this.#lastAnswers.has(path);
    return isEarly ? undefined : this.#faults.shift();
  }

  #answer(origin: string, request: PspRequest): Response {
    if (!this.#options.origins.includes(origin)) return new Response(null, { status: 404 });
    const refusal = this.#options.refuse(request);
    if (refusal !== undefined) return refusal;
    for (const { method, pattern, handler } of this.#routes) {
      const match = method === request.method ? pattern.exec(request.path) : null;
      if (match !== null) return handler({ ...request, params: decoded(match.groups ?? {}) });
    }
    return new Response(null, { status: 404 });
  }
}

const JSON_HEADERS = { "content-type": "application/json" };

const decoded = (groups: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
  );

async function toPspRequest(request: Request): Promise<PspRequest> {
  const { pathname: path, searchParams: query } = new URL(request.url);
  const text = await request.text();
  return {
    method: request.method,
    path,
    query,
    headers: request.headers,
    params: {},
    text,
    json: () => parseJson(text) as Record<string, unknown>, // routes read only members that they know
    form: () => new URLSearchParams(text),
  };
}

/** An answer with JSON, in which large integers keep their digits. */
export const jsonAnswer = (value: unknown, status = 200): Response =>
  new Response(stringifyJson(value), { status, headers: JSON_HEADERS });

/** A page of a list with numbered pages, of which the first has the number 1. */
export function numberedPage<Item>(
  items: readonly Item[],
  { number, size }: { readonly number: number; readonly size: number },
): readonly Item[] {
  return items.slice((number - 1) * size, number * size);
}

/** A page of a list with its newest item first: the items older than `after`, or the next items newer than `before`. */
export function cursorPage<Item extends { readonly id: string }>(
  items: readonly Item[],
  { after, before, size }: { after: string | null; before: string | null; size: number },
): { readonly page: readonly Item[]; readonly hasMore: boolean } {
  if (before !== null) {
    const end = items.findIndex(({ id }) => id === before);
    return { page: items.slice(Math.max(end - size, 0), Math.max(end, 0)), hasMore: end > size };
  }
  const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  return { page: items.slice(start, start + size), hasMore: start + size < items.length };
}
