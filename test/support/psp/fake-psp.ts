import { parseJson, stringifyJson } from "#platform/json.ts";

/** A request as a fake provider reads it. */
export interface PspRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** What stands in place of `:name` in the path of the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly text: string;
  /** The members of a body in JSON. */
  readonly json: () => Readonly<Record<string, unknown>>;
  /** The fields of a body that is a form. */
  readonly form: () => URLSearchParams;
}

type Handler = (request: PspRequest) => Response;

/** What happens to the next request instead of being answered well. */
export type PspFault =
  /** It is answered so, and nothing is done. */
  | { readonly answer: (request: PspRequest) => Response }
  /** What it asks for is done, and the answer is lost. */
  | { readonly kind: "lose-answer" }
  /** The next request to a path that was read before is answered as it was then. */
  | { readonly kind: "repeat-answer" }
  /** It is answered well. */
  | { readonly kind: "none" };

export interface FakePspOptions {
  /** The origins that it answers for; other ones are not found. */
  readonly origins: readonly string[];
  /** Says what is wrong with who asks; undefined where nothing is. */
  readonly refuse: (request: PspRequest) => Response | undefined;
}

/**
 * The HTTP API of a provider in memory. A provider's own fake extends it: it holds the provider's objects in their documented shapes, and
 * gives each operation a route. Faults are the same for all.
 */
export class FakePsp {
  /** Changes what is in successful answers, where it is given. */
  spoil: ((answer: unknown) => unknown) | undefined;
  readonly requests: PspRequest[] = [];
  /** The URLs of the requests. */
  readonly urls: string[] = [];
  readonly #options: FakePspOptions;
  readonly #routes: { method: string; pattern: RegExp; handler: Handler }[] = [];
  readonly #faults: PspFault[] = [];
  readonly #lastAnswers = new Map<string, string>();

  constructor(options: FakePspOptions) {
    this.#options = options;
  }

  /** Answers requests of a method to a path such as `/accounts/:id`. */
  protected route(method: string, path: string, handler: Handler): void {
    const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
    this.#routes.push({ method, pattern, handler });
  }

  /** Lets the next request, or those after it, meet faults. */
  fail(...faults: readonly PspFault[]): void {
    this.#faults.push(...faults);
  }

  /** Answers as `fetch` does. It throws where the answer is lost. */
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
    json: () => parseJson(text) as Record<string, unknown>, // a route reads what it knows
    form: () => new URLSearchParams(text),
  };
}

/** An answer in JSON. Large integers keep their digits. */
export const jsonAnswer = (value: unknown, status = 200): Response =>
  new Response(stringifyJson(value), { status, headers: JSON_HEADERS });

/** A page of a list that is asked for by the number of the page, which begins at one. */
export function numberedPage<Item>(
  items: readonly Item[],
  { number, size }: { readonly number: number; readonly size: number },
): readonly Item[] {
  return items.slice((number - 1) * size, number * size);
}

/** A page of a list that has its newest item first: what is older than `after`, or the next ones that are newer than `before`. */
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
