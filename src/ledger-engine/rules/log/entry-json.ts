import { parseJson } from "#platform/json.ts";

/** An exported log entry as JSON, without the members that the ledger derives for a new transaction. */
export interface PartialEntryJson {
  readonly value: unknown;
  /** The text of the derived members. */
  readonly derived: string;
}

/** The beginning of the entry of a new transaction in an export. */
const NEW_TRANSACTION = '{"type":"NEW_TRANSACTION","data":{"transaction":{';
/** The beginning of the first derived member. */
const BEGIN = ',"insertedAt":';
/** The text after the last derived member. */
const END = '},"accountMetadata":';
/** A member that is not derived, but stands among the derived ones. */
const TEMPLATE = '"template":';
/** A number that stands for the derived members. */
const MARK = -900_000_000_000_001;
const MARK_TEXT = `${MARK}`;

/**
 * Parses an exported log entry without the members that the ledger derives for a new transaction, which are more than half of the
 * text and mostly equal to the text that the ledger would write. Undefined for an entry in another form, which must be parsed as a
 * whole.
 *
 *     {"type":"NEW_TRANSACTION","data":{"transaction":{ … "id":7,"insertedAt": … },"accountMetadata": … }
 *     └──────────────────────── parsed ─────────────────────────┘└── derived ───┘└─────── parsed ───────┘
 *
 * The parsed value is certain to be right only if the derived text equals the text that the ledger would write.
 */
export function parseWithoutDerived(text: string): PartialEntryJson | undefined {
  if (!text.startsWith(NEW_TRANSACTION)) return undefined;
  const end = text.lastIndexOf(END);
  const parsed = plainEntry(text, end) ?? entryWithMark(text, end);
  return parsed?.derived.includes(TEMPLATE) === true ? undefined : parsed;
}

/** A JSON text without escapes, and an integer of at most 15 digits. */
const STRING = String.raw`"([^"\\\u0000-\u001f]*)"`;
const INTEGER = String.raw`(0|[1-9]\d{0,14})`;
/** The text of exports before and after the derived members. */
const PLAIN_HEAD = new RegExp(
  String.raw`^\{"type":"NEW_TRANSACTION","data":\{"transaction":\{"postings":(\[[^[\]]*\]),"metadata":(\{[^{}]*\}),"timestamp":${STRING},(?:"reference":${STRING},)?"id":${INTEGER},(?="insertedAt":)`,
);
const PLAIN_TAIL = new RegExp(
  String.raw`\},"accountMetadata":\{\}\},"date":${STRING},"idempotencyKey":${STRING},"idempotencyHash":${STRING},"id":${INTEGER},"hash":${STRING}\}$`,
  "y",
);

/**
 * Parses the entry of most new transactions with two regular expressions, in half the time of the parser for JSON. Postings and metadata
 * are still parsed as JSON: their texts are kept longer than the entry, and substrings would keep the whole entry in memory.
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
 * Parses an entry whose derived members are replaced with `"insertedAt":MARK`. The mark occurs nowhere else in the text. If it becomes
 * the transaction's `insertedAt`, the derived members are the last members of the transaction.
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

/** A member of a value; undefined if the value is no object. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? objectOf(value)[name]
    : undefined;

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}; // checked before the cast
