import { parseJson } from "#platform/json.ts";

/** A JSON value that was not parsed, because it is only compared as text. */
export class UnparsedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  parse(): unknown {
    return parseJson(this.text);
  }
}

/**
 * Parses an exported log entry. The volumes of a new transaction are more than half of its text, and mostly the same
 * that the ledger would write. They are left as `UnparsedJson`, which reads as the value that it stands for. Throws as
 * `parseJson` does.
 */
export function parseEntryJson(text: string): unknown {
  const found = text.startsWith(NEW_TRANSACTION) ? findVolumes(text) : [];
  return found.length === 0 ? parseJson(text) : (parseAround(text, found) ?? parseJson(text));
}

/** The beginning of the entry of a new transaction in an export. */
const NEW_TRANSACTION = '{"type":"NEW_TRANSACTION","data":{"transaction":{';

/** The members with volumes, in the order of an export. For parsing, a number takes the place of each. */
const MEMBERS = [
  { name: "postCommitVolumes", mark: -900_000_000_000_001 },
  { name: "postCommitEffectiveVolumes", mark: -900_000_000_000_002 },
  { name: "preCommitVolumes", mark: -900_000_000_000_003 },
  { name: "preCommitEffectiveVolumes", mark: -900_000_000_000_004 },
] as const;
/** The digits that these numbers begin with. */
const MARKS = "-90000000000000";

interface Found {
  readonly name: string;
  readonly mark: number;
  /** The position at which the value begins. */
  readonly start: number;
  readonly value: string;
}

/** The values after the names of the members. They may be the volumes of the transaction. */
function findVolumes(text: string): Found[] {
  const found: Found[] = [];
  let from = NEW_TRANSACTION.length;
  for (const { name, mark } of MEMBERS) {
    const member = `"${name}":`;
    const at = text.indexOf(member, from);
    if (at === -1) continue;
    const start = at + member.length;
    // The volumes by effective dates are mostly the same as the volumes before them.
    const last = found.at(-1)?.value;
    const value = last !== undefined && text.startsWith(last, start) ? last : valueAt(text, start);
    if (value === undefined) continue;
    found.push({ name, mark, start, value });
    from = start + value.length;
  }
  return found;
}

const INTEGER = "(?:0|[1-9]\\d{0,1000})";
const VOLUMES = `\\{"input":${INTEGER},"output":${INTEGER},"balance":-?${INTEGER}\\}`;
const ASSETS = `\\{"[\\w/]+":${VOLUMES}(?:,"[\\w/]+":${VOLUMES})*\\}`;
/** Matches at its `lastIndex`, which is set before each use. */
const ACCOUNTS_HERE = new RegExp(`\\{"[\\w:-]+":${ASSETS}(?:,"[\\w:-]+":${ASSETS})*\\}`, "y");

/** Volumes as an export writes them. They are a complete JSON value. */
function valueAt(text: string, start: number): string | undefined {
  ACCOUNTS_HERE.lastIndex = start;
  return ACCOUNTS_HERE.exec(text)?.[0];
}

/**
 * Parses the text with a number in the place of each value. No other part of the text has this number. If a member of
 * the transaction has it, the value that it replaces is therefore the member's value. Returns undefined if a member
 * does not have its number.
 */
function parseAround(text: string, found: readonly Found[]): unknown {
  if (text.includes(MARKS)) return undefined;
  let [around, from] = ["", 0];
  for (const { start, value, mark } of found) {
    around += `${text.slice(from, start)}${mark}`;
    from = start + value.length;
  }
  const entry = tryParse(around + text.slice(from));
  const transaction = objectOf(memberOf(memberOf(entry, "data"), "transaction"));
  if (found.some(({ name, mark }) => transaction[name] !== mark)) return undefined;
  for (const { name, value } of found) transaction[name] = new UnparsedJson(value);
  return entry;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // the parser of the whole text reports the error
  }
}

/** A member of a value, which need not be an object. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? objectOf(value)[name]
    : undefined;

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // as was just checked
