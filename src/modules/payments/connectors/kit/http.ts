import {
  ConnectorError,
  type ConnectorErrorKind,
} from "#modules/payments/connectors/connector-error.ts";
import type {
  ProviderFetch,
  ProviderRequest,
  ProviderResponse,
} from "#modules/payments/connectors/contract.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import {
  callOutbound,
  type Fetch,
  type OutboundGate,
  type OutboundPolicy,
  urlProblem,
} from "#platform/http/outbound.ts";
import { parseJson } from "#platform/json.ts";

/** Default time limit for the answer to a request, in milliseconds. */
export const PROVIDER_MS_MAX = 10_000;
/** Largest time limit that a request may set, in milliseconds: the jobs that send requests have more time. */
const REQUEST_MS_MAX = 40_000;
/** Size in bytes from which an answer is refused. A page of a hundred items is far smaller. */
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** The wait after a rate limit without `Retry-After`, in milliseconds. */
const RETRY_AFTER_MS = 5000;
/** The longest wait after a rate limit, in milliseconds, even if `Retry-After` is longer. */
const RETRY_AFTER_MS_MAX = 3_600_000;
/** The longest part of an answer that an error shows, in characters. */
const SHOWN_MAX = 200;

export interface ProviderNetwork {
  readonly fetch: Fetch;
  readonly policy: OutboundPolicy;
  readonly gate: OutboundGate;
  /** Texts that no error may show: the secrets of the configuration. */
  readonly secrets: readonly string[];
  readonly timeoutMs?: number;
}

/**
 * Calls a provider within the limits of time, size and the outbound policy. Returns a success or a 404. Throws `ConnectorError`:
 * `rate-limited` for 423, 425, 429, and 503 with `Retry-After`; `unknown` for 408, 421 and other 5xx, and if a write has no answer or one
 * that is too large; `unreachable` if a read has no answer; otherwise `invalid`. `errorKindOf` decides about an error answer
 * first. Errors contain none of the secrets, and no whole number of a card or account.
 *
 * Throws what the gate throws (`isHeld`) for a request that was not sent; no plugin catches it. The error says that nothing has happened at
 * the provider. After a request that may have changed something there, it becomes `unknown`: a step of several requests was cut off in its
 * middle, and may have moved money.
 *
 *     GET ─ sent    POST ─ held    nothing has happened: held
 *     POST ─ sent   GET ─ held     the money may be on its way: unknown
 */
export function providerFetch(network: ProviderNetwork): ProviderFetch {
  const { fetch, policy, secrets } = network;
  const sent = new SentRequests(network.gate);
  return async (request) => {
    const { method, url, headers: given = {}, body } = request;
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
        ...(body === undefined ? {} : { body }),
        timeoutMs,
        bodyBytesMax: ANSWER_BYTES_MAX,
      },
      { fetch, policy, gate: () => sent.admit(request, name) },
    );
    if (result.kind === "unreachable") throw noAnswer(request, name, redact(result.error));
    const { status, headers, bodyError } = result;
    if (bodyError !== undefined) throw noAnswer(request, name, redact(bodyError));
    if (result.body.byteLength >= ANSWER_BYTES_MAX) throw tooLarge(request, name);
    const text = new TextDecoder().decode(result.body);
    const response = { status, headers, text, request: name };
    assertAccepted(request, response, redact);
    return response;
  };
}

/** Lets requests of a plugin pass the gate, and notes whether one was sent that may have changed something at the provider. */
class SentRequests {
  readonly #gate: OutboundGate;
  #mayHaveChanged = false;

  constructor(gate: OutboundGate) {
    this.#gate = gate;
  }

  async admit(request: ProviderRequest, name: string): Promise<void> {
    try {
      await this.#gate();
    } catch (error) {
      if (!this.#mayHaveChanged || !isHeld(error)) throw error;
      const message = `${name}: not sent, after requests that were: ${error.message}`;
      throw new ConnectorError("unknown", message, { cause: error });
    }
    if (!isReadOf(request)) this.#mayHaveChanged = true;
  }
}

/** The error of a request whose answer is too large. The provider may have carried out a request that is no read, however long its answer. */
const tooLarge = (request: ProviderRequest, name: string): ConnectorError =>
  new ConnectorError(
    isReadOf(request) ? "invalid" : "unknown",
    `${name}: the answer has ${ANSWER_BYTES_MAX} bytes or more`,
  );

const isReadOf = ({ method, isRead }: ProviderRequest): boolean =>
  method === "GET" || isRead === true;

/** The name of a request in errors. Parameters are left out, because they may contain secrets. */
const nameOf = ({ method, url }: ProviderRequest): string => `${method} ${new URL(url).pathname}`;

/** The error of a request without an answer. A read changes nothing; the provider may have carried out any other request. */
function noAnswer(request: ProviderRequest, name: string, why: string): ConnectorError {
  const kind = isReadOf(request) ? "unreachable" : "unknown";
  return new ConnectorError(kind, `${name}: the provider gave no answer: ${describeLoss(why)}`);
}

/** The runtime's messages about a lost connection say nothing more, and differ each time; one text replaces them. */
const describeLoss = (why: string): string =>
  /^(?:network connection lost|internal error; reference)/i.test(why)
    ? "the connection was lost"
    : why;

/** Statuses of a provider that is busy, or not ready yet. */
const LATER = new Set([423, 425, 429]);
/** Statuses of a request that did not arrive in time, or arrived at the wrong server. */
const REPEATED = new Set([408, 421]);
/** The status of an absent resource, which some requests expect. */
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

/** Throws `ConnectorError` (`invalid`) for a 404. */
export function assertFound({
  status,
  request,
}: Pick<ProviderResponse, "status" | "request">): void {
  if (status === NOT_FOUND) {
    throw new ConnectorError("invalid", `${request}: the provider answered ${NOT_FOUND}`);
  }
}

/** Parses the JSON of an answer. Throws `ConnectorError` (`unknown`) for an empty or broken text, also after a read. The caller handles a 404 before. */
export function parseAnswer({ status, text, request }: ProviderResponse): unknown {
  try {
    return parseJson(text);
  } catch {
    // The parser's own error would quote the answer, which may hold secrets.
    const shown = text.trim() === "" ? "is empty" : "is not JSON";
    throw new ConnectorError("unknown", `${request}: the answer with status ${status} ${shown}`);
  }
}

/** Returns the array in an answer. Throws `ConnectorError` (`unknown`) for any other value. */
export function parseList(response: ProviderResponse): readonly unknown[] {
  const values: unknown = parseAnswer(response);
  if (isArray(values)) return values;
  const { status, request } = response;
  throw new ConnectorError(
    "unknown",
    `${request}: the answer with status ${status} is not an array`,
  );
}

/** `Array.isArray` with elements of the type `unknown`; the library types them as `any`. */
const isArray: (value: unknown) => value is readonly unknown[] = Array.isArray;

/** The wait that `Retry-After` asks for, as a number of seconds or as a date, in milliseconds; undefined without a valid header. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  const milliseconds = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds)
    ? undefined
    : Math.min(Math.max(milliseconds, 0), RETRY_AFTER_MS_MAX);
}

/** The message of an error body, on one line, without secrets, shortened last: a secret that is cut would not be recognised. */
function describe(text: string, redact: (text: string) => string): string {
  const shown = redact(messageIn(text).replaceAll(/\s+/g, " ").trim()).slice(0, SHOWN_MAX);
  return shown === "" ? "" : `: ${shown.toWellFormed()}`;
}

const MESSAGE_MEMBERS = ["title", "detail", "code", "errorCode", "message", "error"];

/**
 * The texts of the message members of an error body, of its member `error`, and of the first element of `errors`; otherwise the whole body.
 */
function messageIn(text: string): string {
  try {
    const body = parseJson(text);
    const texts = [body, memberOf(body, "error"), firstOf(memberOf(body, "errors"))].flatMap(
      messagesOf,
    );
    return texts.length === 0 ? text : texts.join(": ");
  } catch {
    return text; // a body that is not JSON is shown unchanged
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

/** The secrets in headers, which the configuration has in another form or not at all, such as encoded passwords and fetched tokens. */
const secretsIn = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    SECRET_HEADERS.test(name) ? value.split(/\s+/) : [],
  );

const SECRET_HEADERS = /auth|key|token|secret|sign/i;

/** Shortest secret that is removed from errors, in characters. Shorter texts occur by chance. */
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

/** Numbers of cards and bank accounts, and IBANs, also in groups. They are masked, because errors are logged and shown to clients. */
const NUMBERS = /\b(?:[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}|\d(?:[ -]?\d){7,33})\b/g;
const SHOWN_DIGITS = 4;
