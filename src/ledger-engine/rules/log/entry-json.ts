import { parseJson } from "#platform/json.ts";

/** A JSON value that is compared as a text before anything is made of it. */
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
 * Parses an exported log entry. The volumes of a new transaction are more than half of its text, and mostly just what the
 * ledger would write: they are left as `UnparsedJson`, which reads as what it stands for. Throws as `parseJson` does.
 */
export function parseEntryJson(text: string): unknown {
  const found = text.startsWith(NEW_TRANSACTION) ? findVolumes(text) : [];
  return found.length === 0 ? parseJson(text) : (parseAround(text, found) ?? parseJson(text));
}

/** How an export begins the entry of a new transaction. */
const NEW_TRANSACTION = '{"type":"NEW_TRANSACTION","data":{"transaction":{';

/** Members of volumes in the order of an export. Each has a number that may stand in its place. */
const MEMBERS = [
  { name: "postCommitVolumes", mark: -900_000_000_000_001 },
  { name: "postCommitEffectiveVolumes", mark: -900_000_000_000_002 },
  { name: "preCommitVolumes", mark: -900_000_000_000_003 },
  { name: "preCommitEffectiveVolumes", mark: -900_000_000_000_004 },
] as const;
/** How these numbers begin. */
const MARKS = "-90000000000000";

interface Found {
  readonly name: string;
  readonly mark: number;
  /** Where the value begins. */
  readonly start: number;
  readonly value: string;
}

/** What may be volumes of the transaction: the texts that follow their names. */
function findVolumes(text: string): Found[] {
  const found: Found[] = [];
  let from = NEW_TRANSACTION.length;
  for (const { name, mark } of MEMBERS) {
    const member = `"${name}":`;
    const at = text.indexOf(member, from);
    if (at === -1) continue;
    const start = at + member.length;
    // Volumes by effective dates are mostly the same as the volumes before them.
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
/** Matches at its `lastIndex`, which is set for each use. */
const ACCOUNTS_HERE = new RegExp(`\\{"[\\w:-]+":${ASSETS}(?:,"[\\w:-]+":${ASSETS})*\\}`, "y");

/** Volumes as an export writes them, which are a whole JSON value. */
function valueAt(text: string, start: number): string | undefined {
  ACCOUNTS_HERE.lastIndex = start;
  return ACCOUNTS_HERE.exec(text)?.[0];
}

/**
 * Parses the text with a number in the place of each value. That number is nowhere else in the text: where a member of the
 * transaction has it, the value that it replaces is the value of that member. Gives undefined where one has it not.
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
    return undefined; // told by the parser of the whole text
  }
}

/** A member of what may be an object. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? objectOf(value)[name]
    : undefined;

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // as was just checked
