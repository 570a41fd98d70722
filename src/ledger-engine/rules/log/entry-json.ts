import { parseJson } from "#platform/json.ts";

/** An exported log entry as JSON, without the members that the ledger derives for a new transaction. */
export interface PartialEntryJson {
  readonly value: unknown;
  /** The text of these members. */
  readonly derived: string;
}

/** The beginning of the entry of a new transaction in an export. */
const NEW_TRANSACTION = '{"type":"NEW_TRANSACTION","data":{"transaction":{';
/** The first of the derived members, and what follows the last. */
const BEGIN = ',"insertedAt":';
const END = '},"accountMetadata":';
/** A member among the others that is not derived. */
const TEMPLATE = '"template":';
/** A number that stands for the derived members. */
const MARK = -900_000_000_000_001;

/**
 * Parses an exported log entry without the members that the ledger derives for a new transaction: more than half of its text, and
 * mostly the very text that the ledger would write. Undefined for an entry in another form, which must be parsed as a whole.
 *
 * For parsing, a number takes the place of these members, which no other part of the text has. If it is the date of insertion of
 * the transaction, they are therefore members of the transaction, and its last ones.
 */
export function parseWithoutDerived(text: string): PartialEntryJson | undefined {
  if (!text.startsWith(NEW_TRANSACTION)) return undefined;
  const begin = text.indexOf(BEGIN, NEW_TRANSACTION.length);
  const end = text.lastIndexOf(END);
  if (begin === -1 || end < begin || text.includes(`${MARK}`)) return undefined;
  const derived = text.slice(begin + 1, end);
  if (derived.includes(TEMPLATE)) return undefined;
  const value = tryParse(`${text.slice(0, begin)}${BEGIN}${MARK}${text.slice(end)}`);
  const transaction = objectOf(memberOf(memberOf(value, "data"), "transaction"));
  if (transaction["insertedAt"] !== MARK) return undefined;
  delete transaction["insertedAt"];
  return { value, derived };
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
