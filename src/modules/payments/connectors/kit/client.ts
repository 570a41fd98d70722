import type { z } from "zod";
import { assertFound, parseAnswer } from "./http.ts";
import { parseObject } from "./objects.ts";
import type {
  ProviderFetch,
  ProviderRequest,
  ProviderResponse,
} from "#modules/payments/connectors/contract.ts";
import { stringifyJson } from "#platform/json.ts";

type Value = string | number | bigint | boolean | undefined;

export interface ApiCall {
  readonly method?: ProviderRequest["method"];
  /** The path below the base URL, with a slash at its beginning. */
  readonly path: string;
  /** The parameters of the URL. Undefined values are left out; a list repeats its name for each value. */
  readonly query?: Readonly<Record<string, Value | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a call with another method than GET changes nothing. */
  readonly isRead?: boolean;
  /** The body as JSON; members that are undefined are left out. */
  readonly json?: unknown;
  /** The body as a form, with undefined values and lists as in `query`. */
  readonly form?: Readonly<Record<string, Value | readonly string[]>>;
}

export interface ApiOptions {
  readonly baseUrl: string;
  /** The headers that authenticate a request. The function is called for each request, because tokens expire. */
  readonly headers: () =>
    | Readonly<Record<string, string>>
    | Promise<Readonly<Record<string, string>>>;
  readonly timeoutMs?: number;
  readonly errorKindOf?: ProviderRequest["errorKindOf"];
}

/** The API of a provider: JSON over HTTP. All methods throw `ConnectorError`. */
export class ApiClient {
  readonly #fetch: ProviderFetch;
  readonly #options: ApiOptions;
  readonly #baseUrl: string;

  constructor(fetch: ProviderFetch, options: ApiOptions) {
    this.#fetch = fetch;
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
  }

  /** The answer of a call, parsed by a schema; `what` names the answer in errors. Throws `ConnectorError` for 404. */
  async read<S extends z.ZodType>(call: ApiCall, schema: S, what: string): Promise<z.output<S>> {
    const response = await this.send(call);
    assertFound(response);
    return parseNamed(schema, response, what);
  }

  /** The answer of a call, parsed by a schema; undefined if the provider answers 404. */
  async find<S extends z.ZodType>(
    call: ApiCall,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    const response = await this.send(call);
    return response.status === 404 ? undefined : parseNamed(schema, response, what);
  }

  /** The unparsed answer of a call: a success, or 404. */
  async send({
    method = "GET",
    path,
    query,
    headers,
    isRead,
    json,
    form,
  }: ApiCall): Promise<ProviderResponse> {
    const { timeoutMs, errorKindOf } = this.#options;
    const parameters = query === undefined ? "" : toParameters(query);
    return this.#fetch({
      method,
      url: `${this.#baseUrl}${path}${parameters === "" ? "" : `?${parameters}`}`,
      headers: {
        accept: "application/json",
        ...(await this.#options.headers()),
        ...headers,
        ...typeOf({ json, form }),
      },
      ...(isRead === undefined ? {} : { isRead }),
      ...(json === undefined ? {} : { body: stringifyJson(json) }),
      ...(form === undefined ? {} : { body: toParameters(form) }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(errorKindOf === undefined ? {} : { errorKindOf }),
    });
  }
}

/** Parses an answer. An error names the request, too. */
const parseNamed = <S extends z.ZodType>(
  schema: S,
  response: ProviderResponse,
  what: string,
): z.output<S> => parseObject(schema, parseAnswer(response), `${response.request}: ${what}`);

function typeOf({
  json,
  form,
}: {
  json: unknown;
  form: unknown;
}): Readonly<Record<string, string>> {
  if (json !== undefined) return { "content-type": "application/json" };
  return form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
}

function toParameters(values: NonNullable<ApiCall["query"]>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const text of Array.isArray(value) ? value : [value]) {
      if (text !== undefined) parameters.append(name, String(text));
    }
  }
  return parameters.toString();
}
