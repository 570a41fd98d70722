import { type SQL, sql } from "drizzle-orm";
import type { PaymentDraft } from "./draft.ts";
import { readMetadata } from "./draft.ts";
import { paymentPayments, paymentSegments } from "./tables.ts";
import { referenceOfKey } from "#modules/payments/core/account-keys.ts";
import {
  bitsOf,
  metadataTerms,
  type Needs,
  needsOf,
  SEGMENT_SIZE,
  termsOf,
  WORDS,
  wordsOf,
} from "#modules/payments/core/payment-terms.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { Database } from "#platform/db/database.ts";
import { jsonRows, rowItems } from "#platform/db/json-rows.ts";
import { parseFilterText } from "#platform/filter/filter.ts";
import { stringifyJson } from "#platform/json.ts";

/** Which segments have payments with some terms; see `core/payment-terms.ts`. Payments of a segment have keys that follow each other. */

const NAMES = Array.from({ length: WORDS }, (_, at) => `w${at}`);
const MERGED = Object.fromEntries(
  NAMES.map((name) => [name, sql.raw(`${name} | excluded.${name}`)]),
);
const DIFFERS = sql.raw(
  NAMES.map((name) => `(${name} | excluded.${name}) <> ${name}`).join(" OR "),
);
/** Numbers that are bound would be divided as fractions. */
const SIZE = sql.raw(`${SEGMENT_SIZE}`);

/** Adds bits to segments. Where all of them are there, no row is written. */
const addBits = (db: Database, rows: SQL) =>
  db
    .insert(paymentSegments)
    .select(rows)
    .onConflictDoUpdate({ target: paymentSegments.segment, set: MERGED, setWhere: DIFFERS });

/** So many payments that are stored together have their bits added together: a segment gets few that it does not need. */
const GROUP_SIZE = 16;

/** The statement that goes right after the one that has inserted payments, whose keys are the last ones. */
export function addInserted(
  db: Database,
  connector: InstalledConnector,
  drafts: readonly PaymentDraft[],
) {
  const groups: unknown[][] = [];
  for (let first = 0; first < drafts.length; first += GROUP_SIZE) {
    const group = drafts.slice(first, first + GROUP_SIZE);
    const words = wordsOf(group.flatMap((draft) => termsOfDraft(connector, draft)));
    groups.push([first, first + group.length - 1, ...words]);
  }
  const before = sql.raw(`${drafts.length - 1}`);
  return addBits(
    db,
    sql`
      SELECT (m.last - ${before} + CASE e.edge WHEN 0 THEN r.item ->> 0 ELSE r.item ->> 1 END) / ${SIZE},
        ${rowItems(WORDS, 2)}
      FROM ${jsonRows(groups)} AS r, (SELECT 0 AS edge UNION ALL SELECT 1) AS e,
        (SELECT max(key) AS last FROM ${paymentPayments}) AS m WHERE true`,
  );
}

/** The statement that adds what payments that are stored have become. */
export function addChanged(
  db: Database,
  connector: InstalledConnector,
  drafts: readonly PaymentDraft[],
) {
  const terms = drafts.map((draft) => ({
    segment: Math.floor((draft.row?.key ?? 0) / SEGMENT_SIZE),
    terms: termsOfDraft(connector, draft),
  }));
  const segments = Map.groupBy(terms, ({ segment }) => segment);
  const rows = [...segments].map(([segment, of]) => [
    segment,
    ...wordsOf(of.flatMap((it) => it.terms)),
  ]);
  return addRows(db, rows);
}

/** The statement that adds metadata of one payment. */
export const addMetadata = (
  db: Database,
  { key, metadata }: { readonly key: number; readonly metadata: Readonly<Record<string, string>> },
) => addRows(db, [[Math.floor(key / SEGMENT_SIZE), ...wordsOf(metadataTerms(metadata))]]);

const addRows = (db: Database, rows: readonly (readonly unknown[])[]) =>
  addBits(
    db,
    sql`SELECT r.item ->> 0, ${rowItems(WORDS, 1)} FROM ${jsonRows(rows)} AS r WHERE true`,
  );

function termsOfDraft({ id }: InstalledConnector, { details, state }: PaymentDraft): string[] {
  const { type, scheme, asset, psuId, connectionId, metadata } = details;
  const source = referenceOf(details.sourceAccount);
  const destination = referenceOf(details.destinationAccount);
  return termsOf({
    ...state,
    type,
    scheme,
    asset,
    psuId,
    connectionId,
    connector: id.reference,
    metadata: readMetadata(metadata),
    ...(source === undefined ? {} : { source }),
    ...(destination === undefined ? {} : { destination }),
  });
}

const referenceOf = (accountKey: string | null): string | undefined =>
  accountKey === null ? undefined : referenceOfKey(accountKey);

/** The statement that forgets the segments of payments that were deleted, where no other payment is left in them. */
export const removeEmptySegments = (db: Database, keys: readonly number[]) =>
  db.delete(paymentSegments).where(sql`
    segment IN (SELECT value / ${SIZE} FROM json_each(${stringifyJson(keys)}))
    AND NOT EXISTS (
      SELECT 1 FROM ${paymentPayments} AS p
      WHERE p.key BETWEEN segment * ${SIZE} AND segment * ${SIZE} + ${SIZE} - 1)`);

/** Beyond so many segments, payments that fit are many, and are found soon in the order of the list. */
const SEGMENTS_MAX = 512;

/** A filter with more terms would make a statement that is too long, and an expression that is too deep. */
const TERMS_MAX = 48;

/** The segments that may have payments which fit a filter; undefined where these are many. */
export async function candidateSegments(
  db: Database,
  where: string | undefined,
): Promise<number[] | undefined> {
  const filter = where === undefined ? undefined : parseFilterText(where);
  const needs = filter === undefined ? undefined : needsOf(filter);
  if (needs === undefined || countTerms(needs) > TERMS_MAX) return undefined;
  const found = await db.all<{ segment: number }>(sql`
    SELECT segment FROM ${paymentSegments} WHERE ${sql.raw(hasAll(needs))}
    LIMIT ${SEGMENTS_MAX + 1}`);
  return found.length > SEGMENTS_MAX ? undefined : found.map(({ segment }) => segment);
}

const countTerms = (needs: Needs): number =>
  needs.kind === "one" ? needs.terms.length : needs.of.reduce((sum, it) => sum + countTerms(it), 0);

/** Whether a segment has what payments need. */
function hasAll(needs: Needs): string {
  if (needs.kind === "one") return hasOneOf(needs.terms);
  return `(${needs.of.map(hasAll).join(needs.kind === "all" ? " AND " : " OR ")})`;
}

/** Whether a segment has one of some terms. Bits of one number are tested together. */
function hasOneOf(terms: readonly string[]): string {
  const single = new Map<number, bigint>();
  const tests: string[] = [];
  for (const term of terms) {
    const words = [...bitsOf(term)];
    const [only] = words;
    if (words.length === 1 && only !== undefined && isOneBit(only[1])) {
      single.set(only[0], (single.get(only[0]) ?? 0n) | only[1]);
    } else {
      tests.push(words.map(([word, bits]) => `(w${word} & ${bits}) = ${bits}`).join(" AND "));
    }
  }
  for (const [word, bits] of single) tests.push(`(w${word} & ${bits}) <> 0`);
  return tests.length === 0 ? "FALSE" : `((${tests.join(") OR (")}))`;
}

const isOneBit = (bits: bigint): boolean => (bits & (bits - 1n)) === 0n;

/** Whether a payment is one of those in some segments that fit a condition. Only these are sorted. */
export const isIn = (segments: readonly number[], condition: SQL | undefined): SQL => sql`
  ${paymentPayments.key} IN (
    SELECT ${paymentPayments.key} FROM json_each(${stringifyJson(segments)}) AS s
    CROSS JOIN ${paymentPayments}
      ON ${paymentPayments.key} BETWEEN s.value * ${SIZE} AND s.value * ${SIZE} + ${SIZE} - 1
    WHERE ${condition ?? sql`TRUE`})`;
