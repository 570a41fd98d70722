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
const MARK_TEXT = `${MARK}`;

/**
 * Parses an exported log entry without the members that the ledger derives for a new transaction: more than half of its text, and
 * mostly the very text that the ledger would write. Undefined for an entry in another form, which must be parsed as a whole.
 *
 * Only where the derived text is what the ledger would write is the entry certain to be what was parsed.
 */
export function parseWithoutDerived(text: string): PartialEntryJson | undefined {
  if (!text.startsWith(NEW_TRANSACTION)) return undefined;
  const end = text.lastIndexOf(END);
  const parsed = plainEntry(text, end) ?? entryWithMark(text, end);
  return parsed?.derived.includes(TEMPLATE) === true ? undefined : parsed;
}

/** A text without escapes, and an integer that a number holds. */
const STRING = String.raw`"([^"\\\u0000-\u001f]*)"`;
const INTEGER = String.raw`(0|[1-9]\d{0,14})`;
/** What comes before and behind the derived members, as exports have it. */
const PLAIN_HEAD = new RegExp(
  String.raw`^\{"type":"NEW_TRANSACTION","data":\{"transaction":\{"postings":(\[[^[\]]*\]),"metadata":(\{[^{}]*\}),"timestamp":${STRING},(?:"reference":${STRING},)?"id":${INTEGER},(?="insertedAt":)`,
);
const PLAIN_TAIL = new RegExp(
  String.raw`\},"accountMetadata":\{\}\},"date":${STRING},"idempotencyKey":${STRING},"idempotencyHash":${STRING},"id":${INTEGER},"hash":${STRING}\}$`,
  "y",
);

/**
 * The entry of most new transactions, which two expressions take apart in half the time of the parser for JSON. Addresses and metadata
 * are kept longer than the entry, and a match would keep the whole text with them: these are parsed.
 */
function plainEntry(text: string, end: number): PartialEntryJson | undefined {
  const head = PLAIN_HEAD.exec(text);
  if (head === null) return undefined;
  PLAIN_TAIL.lastIndex = end;
  const tail = PLAIN_TAIL.exec(text);
  if (tail === null) return undefined;
  const [before, postingsText = "", metadataText = "", timestamp, reference, id] = head;
  const [, date, idempotencyKey, idempotencyHash, logId, hash] = tail;
  const postings = tryParse(postingsText);
  const metadata = metadataText === "{}" ? {} : tryParse(metadataText);
  if (postings === undefined || metadata === undefined) return undefined;
  const transaction = { postings, metadata, timestamp, reference, id: Number(id) };
  return {
    value: {
      type: "NEW_TRANSACTION",
      data: { transaction, accountMetadata: {} },
      date,
      idempotencyKey,
      idempotencyHash,
      id: Number(logId),
      hash,
    },
    derived: text.slice(before.length, end),
  };
}

/**
 * For parsing, a number takes the place of the derived members, which no other part of the text has. If it is the date of
 * insertion of the transaction, they are therefore members of the transaction, and its last ones.
 */
function entryWithMark(text: string, end: number): PartialEntryJson | undefined {
  const begin = text.indexOf(BEGIN, NEW_TRANSACTION.length);
  if (begin === -1 || end < begin || text.includes(MARK_TEXT)) return undefined;
  const value = tryParse(`${text.slice(0, begin)}${BEGIN}${MARK_TEXT}${text.slice(end)}`);
  const transaction = objectOf(memberOf(memberOf(value, "data"), "transaction"));
  if (transaction["insertedAt"] !== MARK) return undefined;
  delete transaction["insertedAt"];
  return { value, derived: text.slice(begin + 1, end) };
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
