import {
  ConnectorError,
  type ConnectorErrorKind,
} from "#modules/payments/connectors/connector-error.ts";
import type {
  ProviderFetch,
  ProviderRequest,
  ProviderResponse,
} from "#modules/payments/connectors/contract.ts";
import {
  callOutbound,
  type Fetch,
  type OutboundPolicy,
  urlProblem,
} from "#platform/http/outbound.ts";
import { parseJson } from "#platform/json.ts";

/** How long a provider may take for an answer, in milliseconds. */
export const PROVIDER_MS_MAX = 10_000;
/** How long a request may let it take: less than whoever works on it has for it. */
const REQUEST_MS_MAX = 40_000;
/** Largest answer, in bytes: a page of a hundred items has far less. */
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** When a provider that does not say takes requests again, in milliseconds. */
const RETRY_AFTER_MS = 5000;
/** A provider that names a longer wait than an hour is asked after an hour. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** Most of an answer that an error shows, in characters. */
const SHOWN_MAX = 200;

export interface ProviderNetwork {
  readonly fetch: Fetch;
  readonly policy: OutboundPolicy;
  /** Texts that no error may show: the secrets of the configuration. */
  readonly secrets: readonly string[];
  readonly timeoutMs?: number;
}

/** Calls a provider within the limits of time and size and of the outbound policy. Errors do not show any of the secrets. */
export function providerFetch(network: ProviderNetwork): ProviderFetch {
  const { fetch, policy, secrets } = network;
  return async (request) => {
    const { method, url, headers: given = {}, body: sent } = request;
    const redact = redactor([...secrets, ...secretsIn(given)]);
    const timeoutMs = Math.min(
      request.timeoutMs ?? network.timeoutMs ?? PROVIDER_MS_MAX,
      REQUEST_MS_MAX,
    );
    const name = redact(nameOf(request));
    const problem = urlProblem(request.url, policy);
    if (problem !== undefined) {
      throw new ConnectorError("invalid", redact(`the URL of the provider ${problem}`));
    }
    const result = await callOutbound(
      {
        method,
        url,
        headers: given,
        ...(sent === undefined ? {} : { body: sent }),
        timeoutMs,
        bodyBytesMax: ANSWER_BYTES_MAX,
      },
      { fetch, policy },
    );
    if (result.kind === "unreachable") throw noAnswer(request, name, redact(result.error));
    const { status, headers, body, bodyError } = result;
    if (bodyError !== undefined) throw noAnswer(request, name, redact(bodyError));
    if (body.byteLength >= ANSWER_BYTES_MAX) throw tooLarge(request, name);
    const response = { status, headers, text: new TextDecoder().decode(body), request: name };
    assertAccepted(request, response, redact);
    return response;
  };
}

/** The provider may have done what a request that changes something has asked for, however long its answer is. */
const tooLarge = (request: ProviderRequest, name: string): ConnectorError =>
  new ConnectorError(
    isReadOf(request) ? "invalid" : "unknown",
    `${name}: the answer has ${ANSWER_BYTES_MAX} bytes or more`,
  );

const isReadOf = ({ method, isRead }: ProviderRequest): boolean =>
  method === "GET" || isRead === true;

/** A request as errors name it. Its parameters stay out of them, as they may hold secrets. */
const nameOf = ({ method, url }: ProviderRequest): string => `${method} ${new URL(url).pathname}`;

/** A read changes nothing. The provider may have done all else that it was asked for. */
function noAnswer(request: ProviderRequest, name: string, why: string): ConnectorError {
  const kind = isReadOf(request) ? "unreachable" : "unknown";
  return new ConnectorError(kind, `${name}: the provider gave no answer: ${describeLoss(why)}`);
}

/** What the runtime says of a connection that was lost tells nobody anything, and differs each time. */
const describeLoss = (why: string): string =>
  /^(?:network connection lost|internal error; reference)/i.test(why)
    ? "the connection was lost"
    : why;

/** A provider that is busy, or not ready yet. */
const LATER = new Set([423, 425, 429]);
/** The request did not arrive in time, or not at the right server. */
const REPEATED = new Set([408, 421]);
/** The resource is not there, which some requests expect. */
const NOT_FOUND = 404;

/** Throws for an answer that is neither a success nor 404. */
function assertAccepted(
  request: ProviderRequest,
  response: ProviderResponse,
  redact: (text: string) => string,
): void {
  const { status, headers, text, request: name } = response;
  if ((status >= 200 && status < 300) || status === NOT_FOUND) return;
  const message = `${name}: the provider answered ${status}${describe(text, redact)}`;
  const named = retryAfterOf(headers);
  const kind = request.errorKindOf?.(response) ?? kindOfStatus(status, named);
  throw new ConnectorError(
    kind,
    message,
    kind === "rate-limited" ? { retryAfterMs: named ?? RETRY_AFTER_MS } : {},
  );
}

function kindOfStatus(status: number, retryAfterMs: number | undefined): ConnectorErrorKind {
  if (LATER.has(status) || (status === 503 && retryAfterMs !== undefined)) return "rate-limited";
  return status < 500 && !REPEATED.has(status) ? "invalid" : "unknown";
}

/** An answer that has to be there. */
export function assertFound({
  status,
  request,
}: Pick<ProviderResponse, "status" | "request">): void {
  if (status === NOT_FOUND) {
    throw new ConnectorError("invalid", `${request}: the provider answered ${NOT_FOUND}`);
  }
}

/** The JSON of an answer. A provider that sends something else has a fault, and may send JSON the next time. */
export function parseAnswer({ status, text, request }: ProviderResponse): unknown {
  try {
    return parseJson(text);
  } catch {
    // The parser's own error would quote the answer, which may hold secrets.
    const shown = text.trim() === "" ? "is empty" : "is not JSON";
    throw new ConnectorError("unknown", `${request}: the answer with status ${status} ${shown}`);
  }
}

/** The array that an answer has to be. */
export function parseList(response: ProviderResponse): readonly unknown[] {
  const values: unknown = parseAnswer(response);
  if (isArray(values)) return values;
  const { status, request } = response;
  throw new ConnectorError(
    "unknown",
    `${request}: the answer with status ${status} is not an array`,
  );
}

/** The library's own check makes elements of any type of it. */
const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;

/** In milliseconds; undefined where the provider does not say. It is a number of seconds or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  const milliseconds = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds)
    ? undefined
    : Math.min(Math.max(milliseconds, 0), RETRY_AFTER_MS_MAX);
}

/** The title and detail of an error body, or its beginning, without secrets: a secret that is cut would not be recognised. */
function describe(text: string, redact: (text: string) => string): string {
  const shown = redact(messageIn(text).replaceAll(/\s+/g, " ").trim()).slice(0, SHOWN_MAX);
  return shown === "" ? "" : `: ${shown.toWellFormed()}`;
}

const MESSAGE_MEMBERS = ["title", "detail", "code", "errorCode", "message", "error"];

/** What an error body says: its own members, or those of what it has under `error`, or first in `errors`. */
function messageIn(text: string): string {
  try {
    const body = parseJson(text);
    const texts = [body, memberOf(body, "error"), firstOf(memberOf(body, "errors"))].flatMap(
      messagesOf,
    );
    return texts.length === 0 ? text : texts.join(": ");
  } catch {
    return text; // it is no JSON, and is shown as it is
  }
}

const messagesOf = (value: unknown): string[] =>
  MESSAGE_MEMBERS.map((name) => memberOf(value, name)).filter(
    (found) => typeof found === "string" && found !== "",
  ) as string[];

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined;

const firstOf = (value: unknown): unknown => (isArray(value) ? value[0] : undefined);

/** Who calls is in headers, in a form that only they have: in base64, or as a token that was fetched. */
const secretsIn = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    SECRET_HEADERS.test(name) ? value.split(/\s+/) : [],
  );

const SECRET_HEADERS = /auth|key|token|secret|sign/i;

/** Shorter texts occur by chance. */
const SECRET_LENGTH_MIN = 4;

function redactor(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .toSorted((a, b) => b.length - a.length);
  return (text) =>
    longestFirst
      .reduce((shown, secret) => shown.replaceAll(secret, "***"), text)
      .replaceAll(NUMBERS, (number) => `***${number.slice(-SHOWN_DIGITS)}`);
}

/** Numbers of cards and bank accounts, IBANs included, also in groups: errors are logged and shown to clients. */
const NUMBERS = /\b(?:[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}|\d(?:[ -]?\d){7,33})\b/g;
const SHOWN_DIGITS = 4;
