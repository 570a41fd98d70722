import { api } from "./api.ts";
import type { Exchange, Message } from "#platform/document/exchanges.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/**
 * Plays the examples of the API document as one story. Ids, secrets and hashes differ in each run, so those of an answer are
 * paired with those in the file, and replace them in later requests.
 */
export class Story {
  /** Values that the server made, by the values in the files (`#made`), and the reverse (`#written`). */
  readonly #made = new Map<string, string>();
  readonly #written = new Map<string, string>();

  /** Sends a request; returns the exchange in the form of the file. */
  async play({ request, answer }: Exchange): Promise<string> {
    const actual = printAnswer(...(await this.#send(request)));
    const written = printMessage(answer);
    const isSame = this.#learn(written, actual) && generalized(written) === generalized(actual);
    const text = isSame
      ? written
      : actual.replaceAll(MADE, (made) => this.#written.get(made) ?? made);
    return `${FENCE}http\n${printMessage(request)}\n${FENCE}\n\n${FENCE}http\n${text}\n${FENCE}`;
  }

  async #send({ start, headers, body }: Message): Promise<[Response, string]> {
    const [method = "", target = ""] = this.#translate(start).split(" ");
    const response = await api(target, {
      method,
      ...("authorization" in headers ? { token: null } : {}),
      headers: this.#translateValues(
        body === undefined ? headers : { "content-type": "application/json", ...headers },
      ),
      ...(body === undefined ? {} : { body: this.#translate(body) }),
    });
    return [response, await response.text()];
  }

  /** Pairs values that the server made with values in the file. Returns whether all pairs are consistent. */
  #learn(writtenText: string, actualText: string): boolean {
    const [written, actual] = [madeIn(writtenText), madeIn(actualText)];
    if (written.length !== actual.length) return false;
    const pairs = written.map((text, index) => [text, actual[index] ?? ""] as const);
    for (const [text, made] of pairs) {
      if (this.#made.has(text) || this.#written.has(made)) continue;
      this.#made.set(text, made);
      this.#written.set(made, text);
    }
    return pairs.every(([text, made]) => this.#made.get(text) === made);
  }

  #translateValues(headers: Readonly<Record<string, string>>): Record<string, string> {
    const translated = Object.entries(headers).map(([name, value]) => [
      name,
      this.#translate(value),
    ]);
    return Object.fromEntries(translated) as Record<string, string>; // all entries are pairs of texts
  }

  #translate(text: string): string {
    return this.#withTokens(text).replaceAll(MADE, (made) => this.#made.get(made) ?? made);
  }

  /** Replaces tokens anywhere in a text, because in forms and headers they lack the quotes that show their ends in answers. */
  #withTokens(text: string): string {
    let translated = text;
    for (const [written, made] of this.#made) {
      const isToken = written.length >= TOKEN_LENGTH_MIN && !ENCODED_ID.test(written);
      if (isToken) translated = translated.replaceAll(written, made);
    }
    return translated;
  }
}

/**
 * The shortest length of a token. Ids are shorter, except for encoded ids, which may contain a part of each other and are
 * matched as a whole.
 */
const TOKEN_LENGTH_MIN = 40;
const ENCODED_ID = /^eyJ[A-Za-z0-9]+$/;

const FENCE = "```";

/** Durations, ends of tokens, and figures of the search index, which differ in each run. */
const DURATION =
  /(?<="(?:durationMillis|exp|bytes|origins|pending)": ?)\d+|(?<=^florin_section_duration_seconds\{.*\} )[\d.e-]+/gm;
const DATE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * Matches ids, also where they are a part of a path or of another id, hexadecimal keys, base64 texts and tokens, which have
 * letters of both cases, codes that devices show, last digits, tokens of links, and tags in ids of a ledger's stream.
 */
const MADE =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}|(?<=")(?!florin-)(?=[^"]*[A-Z])(?=[^"]*[a-z])[\w+/.=-]{24,}(?=")|eyJ[A-Za-z0-9]{24,}|(?<="lastDigits": ?")\w+|(?<=\?token=|sign-in#)[\w-]+|(?<="user_code": ?")[A-Z]{4}-[A-Z]{4}|(?<=user_code=)[A-Z]{8}|(?<=^id: -?\d+\.)[0-9a-f]{8}$/gm;

const madeIn = (text: string): string[] => [...text.matchAll(MADE)].map(([made]) => made);

const generalized = (text: string): string =>
  text.replaceAll(DATE, "<date>").replaceAll(DURATION, "0").replaceAll(MADE, "<made>");

/** The response headers that examples show. */
const SHOWN_HEADERS = [
  "Content-Type",
  "Count",
  "Idempotency-Hit",
  "Location",
  "X-Florin-Import-Notes",
];

function printAnswer(response: Response, text: string): string {
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null || value === "application/json" ? [] : [`${name}: ${value}`];
  });
  const isJson = response.headers.get("content-type") === "application/json";
  const head = [String(response.status), ...headers].join("\n");
  if (text === "") return head;
  return `${head}\n\n${isJson ? printJson(parseJson(text)) : text.trimEnd()}`;
}

function printMessage({ start, headers, body }: Message): string {
  const head = [
    start,
    ...Object.entries(headers).map(([name, value]) => `${titled(name)}: ${value}`),
  ];
  return `${head.join("\n")}${body === undefined ? "" : `\n\n${body}`}`;
}

const titled = (name: string): string =>
  name.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());

const LINE_LENGTH_MAX = 100;

/** JSON in lines short enough to read. */
function printJson(value: unknown, indent = ""): string {
  const line = stringifyJson(value);
  if (typeof value !== "object" || value === null) return line;
  if (indent.length + line.length <= LINE_LENGTH_MAX) return line;
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item: unknown) => printJson(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${stringifyJson(key)}: ${printJson(item, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

/** An operation of an API document. */
export interface OperationOfExamples {
  readonly operationId: string;
  readonly requestBody?: MessageOfExamples;
  readonly responses: Readonly<Record<string, MessageOfExamples>>;
}
interface MessageOfExamples {
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}
/** The parts of an API document that tests of its examples read. */
export interface DocumentOfExamples {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationOfExamples>>>>;
}
