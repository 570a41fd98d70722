/**
 * Parses JSON whose names have escapes. V8 13, which Node 24 runs on, may confuse a name with escapes with another name: if an earlier
 * object has a member whose name looks like the beginning of the escaped text, V8 reads the name with escapes as the earlier name. For
 * example, `a
 * ` with a line feed is read as the three characters a, backslash and n. Names with escapes are therefore parsed by themselves, as strings,
 * which V8 does correctly, and aliases stand for the names in the text.
 */
export function parseWithNames(text: string, parse: (text: string) => unknown): unknown {
  try {
    const aliases = new Aliases(text, (token) => parse(token) as string); // The token is a JSON string.
    const value = parse(aliases.renamed());
    return aliases.isUsed ? aliases.restore(value) : value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The original text is parsed again, so that the error names a position in it.
    return parse(text);
  }
}

/** A private-use character, which is unlikely in a text. */
const MARK = "\uE000";

/** Aliases for names that cannot be written without escapes. No alias occurs in the text. */
class Aliases {
  readonly #text: string;
  readonly #parseString: (token: string) => string;
  readonly #prefix: string;
  readonly #byName = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(text: string, parseString: (token: string) => string) {
    this.#text = text;
    this.#parseString = parseString;
    let prefix = MARK;
    while (text.includes(prefix)) prefix += MARK;
    this.#prefix = prefix;
  }

  get isUsed(): boolean {
    return this.#names.size > 0;
  }

  /** The text without escapes in names. Throws `SyntaxError` for a malformed name. */
  renamed(): string {
    const text = this.#text;
    let [renamed, from] = ["", 0];
    let escape = text.indexOf("\\");
    for (let start = text.indexOf('"'); start !== -1 && escape !== -1;) {
      const end = endOfString(text, start);
      if (escape < end && isName(text, end)) {
        renamed += text.slice(from, start) + this.#tokenOf(text.slice(start, end));
        from = end;
      }
      if (escape < end) escape = text.indexOf("\\", end);
      start = text.indexOf('"', end);
    }
    return renamed + text.slice(from);
  }

  /** Replaces aliases by their names, at all depths. */
  restore(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.restore(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        this.#names.get(name) ?? name,
        this.restore(item),
      ]),
    );
  }

  /** The JSON string of a name without escapes, or of its alias. */
  #tokenOf(token: string): string {
    const name = this.#parseString(token);
    return `"${needsEscapes(name) ? this.#aliasOf(name) : name}"`;
  }

  #aliasOf(name: string): string {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const alias = `${this.#prefix}${this.#names.size}`;
    this.#byName.set(name, alias);
    this.#names.set(alias, name);
    return alias;
  }
}

/** Whether a JSON string needs escapes for a text. */
function needsEscapes(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < SPACE || unit === QUOTE || unit === BACKSLASH) return true;
  }
  return false;
}

/** The index behind the JSON string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && backslashesBefore(text, quote) % 2 === 1) {
    quote = text.indexOf('"', quote + 1);
  }
  return quote === -1 ? text.length : quote + 1;
}

function backslashesBefore(text: string, index: number): number {
  let first = index;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return index - first;
}

/** Whether the JSON string that ends at an index is the name of a member. */
function isName(text: string, end: number): boolean {
  let index = end;
  while (SPACES.has(text.charCodeAt(index))) index++;
  return text.charCodeAt(index) === COLON;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** The characters that JSON treats as white space. */
const SPACES: ReadonlySet<number> = new Set([SPACE, 0x09, 0x0a, 0x0d]);
