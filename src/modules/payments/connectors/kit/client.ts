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

/** A call of a provider's API. */
export interface ApiCall {
  readonly method?: ProviderRequest["method"];
  /** Below the base URL, with a slash at its beginning. */
  readonly path: string;
  /** Those that are undefined are left out; a list gives its name several times. */
  readonly query?: Readonly<Record<string, Value | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it changes nothing, although its method says otherwise. */
  readonly isRead?: boolean;
  /** The body as JSON; members that are undefined are left out. */
  readonly json?: unknown;
  /** The body as a form. */
  readonly form?: Readonly<Record<string, Value | readonly string[]>>;
}

export interface ApiOptions {
  readonly baseUrl: string;
  /** The headers of each request: who calls. They are asked for each time, since tokens expire. */
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

  /** The answer in the form of a schema; `what` names it in errors. Throws where it is not there. */
  async read<S extends z.ZodType>(call: ApiCall, schema: S, what: string): Promise<z.output<S>> {
    const response = await this.send(call);
    assertFound(response);
    return parseNamed(schema, response, what);
  }

  /** The same; undefined where the provider answers 404. */
  async find<S extends z.ZodType>(
    call: ApiCall,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    const response = await this.send(call);
    return response.status === 404 ? undefined : parseNamed(schema, response, what);
  }

  /** The answer as it is: a success, or 404. */
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

/** The request tells which answer was not valid. */
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
