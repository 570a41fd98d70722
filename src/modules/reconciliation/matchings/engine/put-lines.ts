import { type LineRow, LINE_COLUMNS, sideNumber, toLine } from "./lines.ts";
import { referencesOf } from "#modules/reconciliation/core/breaks/classify.ts";
import type { OpenLine } from "#modules/reconciliation/core/matching/line.ts";
import type { LineEvidence } from "#modules/reconciliation/core/source-line.ts";
import { quoteJson, stringifyJson } from "#platform/json.ts";
import { amountText, chunksOf, fromStored, type Sql } from "#platform/sql/sql.ts";

/** A line as its source gives it. */
export interface NewLine extends Omit<OpenLine, "id"> {
  /** The name of the line in its source, which is unique on its side. */
  readonly sourceId: string;
  /** The name of the earlier line of the side that this one takes back. */
  readonly corrects?: string | undefined;
  readonly evidence?: LineEvidence;
}

/** What `putLines` has done, by the ids of lines. */
export interface PutLines {
  readonly added: readonly number[];
  /** Lines that are known with other facts, which count as open from then on; the caller breaks their groups. */
  readonly changed: readonly number[];
  /** Lines that a line which was added or changed takes back. */
  readonly corrected: readonly number[];
}

type KnownRow = LineRow & { source_id: string; corrects: string | null; evidence: string | null };

/**
 * Stores lines that are new, and changes lines that are known with other facts, by a few statements for all of them. New lines get
 * ascending ids in their order. A line whose evidence alone is another one counts as known.
 */
export function putLines(sql: Sql, lines: readonly NewLine[]): PutLines {
  const byName = new Map(lines.map((line) => [nameOf(line), line]));
  const known = readKnown(sql, [...byName.keys()]);
  const [last] = sql.all<{ id: number | null }>("SELECT max(id) AS id FROM line");
  let next = (last?.id ?? 0) + 1;
  const added: StoredLine[] = [];
  const changed: StoredLine[] = [];
  for (const [name, line] of byName) {
    const row = known.get(name);
    if (row === undefined) added.push({ ...line, id: next++ });
    else if (!isSame(row, line)) changed.push({ ...line, id: row.id });
    else if (row.evidence !== evidenceText(line))
      sql.all("UPDATE line SET evidence = ? WHERE id = ?", evidenceText(line), row.id);
  }
  insert(sql, added);
  for (const line of changed) update(sql, line);
  putReferences(sql, [...added, ...changed]);
  return {
    added: added.map(({ id }) => id),
    changed: changed.map(({ id }) => id),
    corrected: correctedBy(sql, [...added, ...changed]),
  };
}

/** The side and the name of a line, as the JSON that statements take. */
const nameOf = ({ side, sourceId }: Pick<NewLine, "side" | "sourceId">): string =>
  `[${sideNumber(side)},${quoteJson(sourceId)}]`;

/** The rows of lines that are known, by their names. */
function readKnown(sql: Sql, names: readonly string[]): ReadonlyMap<string, KnownRow> {
  const rows = [...chunksOf(names)].flatMap((chunk) =>
    sql.all<KnownRow>(
      `SELECT ${LINE_COLUMNS}, source_id, corrects, evidence FROM json_each(?) AS asked
       CROSS JOIN line ON line.side = asked.value ->> 0 AND line.source_id = asked.value ->> 1`,
      `[${chunk.join(",")}]`,
    ),
  );
  return new Map(
    rows.map((row) => [
      nameOf({ side: row.side === 0 ? "left" : "right", sourceId: row.source_id }),
      row,
    ]),
  );
}

interface StoredLine extends NewLine {
  readonly id: number;
}

function insert(sql: Sql, lines: readonly StoredLine[]): void {
  for (const chunk of chunksOf(lines.map(rowText)))
    sql.all(
      `INSERT INTO line (id, side, source_id, day, asset, amount, fee, texts, corrects, evidence)
       SELECT ${Array.from({ length: 10 }, (_, index) => `value ->> ${index}`).join(", ")} FROM json_each(?)`,
      `[${chunk.join(",")}]`,
    );
}

function rowText(line: StoredLine): string {
  const evidence = evidenceText(line);
  return `[${[
    line.id,
    sideNumber(line.side),
    quoteJson(line.sourceId),
    line.day,
    quoteJson(line.asset),
    amountText(line.amount),
    line.fee === undefined ? "null" : amountText(line.fee),
    quoteJson(stringifyJson(line.texts)),
    line.corrects === undefined ? "null" : quoteJson(line.corrects),
    evidence === null ? "null" : quoteJson(evidence),
  ].join(",")}]`;
}

/** Changes the facts of a line, whose references are gone afterwards. */
function update(sql: Sql, line: StoredLine): void {
  const [known] = sql.all<LineRow>(`SELECT ${LINE_COLUMNS} FROM line WHERE id = ?`, line.id);
  for (const reference of known === undefined ? [] : referencesOf(toLine(known)))
    sql.all("DELETE FROM line_reference WHERE reference = ? AND line = ?", reference, line.id);
  sql.all(
    `UPDATE line SET day = facts.value ->> 3, asset = facts.value ->> 4, amount = facts.value ->> 5, fee = facts.value ->> 6,
       texts = facts.value ->> 7, corrects = facts.value ->> 8, evidence = facts.value ->> 9
     FROM json_each(?) AS facts WHERE line.id = facts.value ->> 0`,
    `[${rowText(line)}]`,
  );
}

function putReferences(sql: Sql, lines: readonly StoredLine[]): void {
  const rows = lines.flatMap((line) =>
    [...new Set(referencesOf(line))].map((reference) => stringifyJson([reference, line.id])),
  );
  for (const chunk of chunksOf(rows))
    sql.all(
      "INSERT INTO line_reference (reference, line) SELECT value ->> 0, value ->> 1 FROM json_each(?)",
      `[${chunk.join(",")}]`,
    );
}

/** The lines that other lines of their sides take back. */
function correctedBy(sql: Sql, lines: readonly NewLine[]): readonly number[] {
  const names = lines.flatMap(({ side, corrects }) =>
    corrects === undefined ? [] : [nameOf({ side, sourceId: corrects })],
  );
  return [...readKnown(sql, names).values()].map(({ id }) => id);
}

const evidenceText = ({ evidence }: NewLine): string | null =>
  evidence === undefined ? null : stringifyJson(evidence);

const isSame = (known: KnownRow, line: NewLine): boolean =>
  known.day === line.day &&
  known.asset === line.asset &&
  fromStored(known.amount) === line.amount &&
  (known.fee === null ? undefined : fromStored(known.fee)) === line.fee &&
  known.texts === stringifyJson(line.texts) &&
  (known.corrects ?? undefined) === line.corrects;
