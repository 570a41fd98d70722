import { parseJson, quoteJson, stringifyJson } from "#platform/json.ts";

/** Longest message and path of a row, and longest text in a recorded field, in characters. */
const TEXT_LENGTH_MAX = 500;
const FIELD_LENGTH_MAX = 200;
/** Most items of a list that are recorded, and the longest JSON of all recorded fields, in characters. */
const ITEMS_MAX = 10;
const FIELDS_LENGTH_MAX = 4000;
/** Most texts of a request that are searched for in a message. */
const TEXTS_MAX = 2000;
/** Longest beginning of a message that is searched, in characters. */
const SEARCHED_MAX = 4000;

/** The parts of a failed request whose texts a stored message must not have. */
export interface RequestTexts {
  /** The text of the body; undefined if there is none, or nobody has read it. */
  readonly body: string | undefined;
  /** The query, without the question mark. */
  readonly query: string;
  /** The values of headers. */
  readonly headers: readonly string[];
  /** The path, whose texts may be shown. */
  readonly path: string;
}

/** The parts of a failure that are stored. */
export interface Redacted {
  readonly body: string | undefined;
  readonly message: string | undefined;
}

/**
 * Redacts a failure. Of the body, it keeps the fields of an allow-list. In the message, texts of the request become `***`, unless they are
 * texts of such a field or of the path. A request with too many texts has no message.
 *
 *     body     {"reference": "r-1", "metadata": {"pin": "4711"}}      fields  ["reference"]
 *     message  the metadata "4711" of r-1 is not allowed
 *     stored   {"reference":"r-1"}   the metadata "***" of r-1 is not allowed
 */
export function redact(
  message: string,
  fields: readonly string[],
  { body, query, headers, path }: RequestTexts,
): Redacted {
  const value = body === undefined ? undefined : parsed(body);
  const recorded = value === undefined ? undefined : pick(value, fields.map(toNames));
  const secret = new TextSet();
  if (value === undefined) secret.addPieces(body ?? "");
  else addLeaves(value, secret);
  for (const [name, text] of new URLSearchParams(query)) secret.add(name).add(text);
  for (const text of headers) secret.add(text);
  const shown = new TextSet();
  addLeaves(recorded, shown);
  for (const segment of path.split("/")) shown.addWhole(decoded(segment));
  const written = recorded === undefined ? undefined : stringifyJson(recorded);
  return {
    body: written === undefined || written.length > FIELDS_LENGTH_MAX ? undefined : written,
    message: secret.isTooLarge
      ? undefined
      : shortened(secret.maskIn(message.slice(0, SEARCHED_MAX), shown)),
  };
}

/** A text in the length of a row. */
export const shortened = (text: string): string => text.slice(0, TEXT_LENGTH_MAX).toWellFormed();

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // A body that is no JSON has no fields.
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const toNames = (field: string): readonly string[] => field.split(".");

/**
 * The allowed fields of a value, in its form; undefined if there are none. A field is a path of names, `postings.amount`, which goes through
 * lists. Only texts, numbers and booleans are recorded: an object in place of one of them could have any names and texts.
 */
function pick(value: unknown, fields: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_MAX).map((item) => pick(item, fields) ?? null);
    return items.every((item) => item === null) ? undefined : items;
  }
  if (typeof value !== "object" || value === null) {
    return fields.some((names) => names.length === 0) ? scalar(value) : undefined;
  }
  const members: [string, unknown][] = [];
  for (const name of new Set(fields.map(([first]) => first))) {
    if (name === undefined || !Object.hasOwn(value, name)) continue;
    const inner = fields.filter(([first]) => first === name).map(([, ...rest]) => rest);
    const picked = pick((value as Record<string, unknown>)[name], inner);
    if (picked !== undefined) members.push([name, picked]);
  }
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

const scalar = (value: unknown): unknown => {
  if (value === null) return undefined;
  return typeof value === "string" ? value.slice(0, FIELD_LENGTH_MAX).toWellFormed() : value;
};

/** Adds the texts and long numbers of a value, and the names that no programmer would choose. */
function addLeaves(value: unknown, texts: TextSet): void {
  if (typeof value === "string") texts.add(value);
  else if (typeof value === "number" || typeof value === "bigint") texts.addNumber(String(value));
  else if (typeof value === "symbol") texts.addNumber(value.description ?? "");
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (!PLAIN_NAME.test(name)) texts.add(name);
      addLeaves(member, texts);
    }
  }
}

/** Names of fields, and the numbers of items. */
const PLAIN_NAME = /^(?:[A-Za-z_]{1,40}|\d{1,5})$/;
/** Length from which a number is searched for, in digits, and the shortest text. */
const DIGITS_MIN = 6;
const TEXT_MIN = 3;
/** Length of a text of which the beginning alone is searched for, too, as messages shorten what they quote, and of that beginning. */
const CUT_MIN = 16;
const BEGINNING = 12;
/** Length from which a text is searched for within words. */
const INSIDE_MIN = 12;
/** Length from which a text counts as a text of several pieces, such as a script. */
const LONG_MIN = 64;

/** Texts to search for in a message. */
class TextSet {
  readonly #texts = new Set<string>();

  get isTooLarge(): boolean {
    return this.#texts.size > TEXTS_MAX;
  }

  /** Adds a text and, for a long text, its pieces. */
  add(text: string): this {
    this.addWhole(text);
    this.addWhole(text.trim());
    const written = quoteJson(text).slice(1, -1);
    if (written !== text) this.addWhole(written);
    if (text.length >= LONG_MIN || /[\s"']/.test(text)) this.addPieces(text);
    return this;
  }

  addWhole(text: string): void {
    if (text.length >= TEXT_MIN && this.#texts.size <= TEXTS_MAX) this.#texts.add(text);
  }

  addNumber(digits: string): void {
    if (digits.length >= DIGITS_MIN) this.addWhole(digits);
  }

  /** Adds the quoted parts of a text, and its words that are none of a language: with digits or signs, or very long. */
  addPieces(text: string): void {
    for (const [, part = ""] of text.matchAll(/["']([^"'\n]*)["']/g)) this.addWhole(part);
    for (const [word] of text.matchAll(/[^\s"'{}[\](),;=]+/g)) {
      const bare = word.replaceAll(/^\W+|\W+$/g, "");
      if (/^[A-Za-z]{0,19}$/.test(bare)) continue;
      this.addWhole(word);
      this.addWhole(bare);
    }
  }

  /** The message with `***` in place of the texts, except for those of `shown`. */
  maskIn(message: string, shown: TextSet): string {
    const texts = [...this.#texts].filter((text) => !shown.#texts.has(text));
    let masked = message;
    for (const text of texts.toSorted((a, b) => b.length - a.length)) masked = mask(masked, text);
    return masked;
  }
}

const MASK = "***";

function mask(message: string, text: string): string {
  const wanted = text.toLowerCase();
  const needle = wanted.length >= CUT_MIN ? wanted.slice(0, BEGINNING) : wanted;
  const lower = message.toLowerCase();
  // Letters whose small form has another length would shift positions.
  const searched = lower.length === message.length ? lower : message;
  let masked = "";
  let from = 0;
  for (;;) {
    const at = searched.indexOf(needle, from);
    if (at === -1) return masked + message.slice(from);
    let end = at + needle.length;
    while (end - at < wanted.length && searched[end] === wanted[end - at]) end++;
    const isInside = isWordAt(searched, at - 1) || isWordAt(searched, end);
    const isKept = isInside && text.length < INSIDE_MIN;
    masked += message.slice(from, at) + (isKept ? message.slice(at, end) : MASK);
    from = end;
  }
}

const isWordAt = (text: string, at: number): boolean => /^\w$/.test(text[at] ?? "");
