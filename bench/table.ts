import type { BulkFigures } from "./bulks/measure.ts";
import type { ExpressionFigures } from "./expressions.ts";
import type { FairReads } from "./fair-reads.ts";
import type { Measurement } from "./measure.ts";
import type { ListFigures, PaymentsReport } from "./payments/measure.ts";
import type { ReadFigures, ReadReport } from "./reads/measure.ts";
import type { StoragePerTransaction } from "./storage.ts";

const COLUMNS = [
  ["case", 32],
  ["clients", 8],
  ["req/s", 9],
  ["tx/s", 9],
  ["p50 ms", 9],
  ["p95 ms", 9],
  ["p99 ms", 9],
  ["cpu µs/req", 11],
  ["generator", 10],
] as const;

export const tableHead = (): string => line(COLUMNS.map(([title]) => title));

export const tableLine = (measurement: Measurement): string =>
  line([
    measurement.name,
    whole(measurement.concurrency),
    whole(measurement.requestsPerSecond),
    whole(measurement.transactionsPerSecond),
    measurement.p50Ms.toFixed(2),
    measurement.p95Ms.toFixed(2),
    measurement.p99Ms.toFixed(2),
    whole(measurement.cpuMicros),
    measurement.generatorBusy === undefined ? "" : percent(measurement.generatorBusy),
  ]);

export const storageLines = (storage: StoragePerTransaction): string =>
  `A transaction with one posting, on accounts that exist, over ${storage.transactions} of them:
  ${storage.rows.toFixed(2)} rows written, and ${storage.confirmationsAndAlarms.toFixed(3)} for confirmations and alarms
  ${storage.bytes.toFixed(0)} bytes stored`;

export const fairReadsLines = (reads: FairReads): string =>
  `Beside the writes, ${reads.exports} exports with ${reads.entries} entries and ${whole(reads.bytes / 1e6)} MB each, complete and equal, in ${reads.exportSeconds.toFixed(1)} s,
  and a verification in ${reads.verificationSeconds.toFixed(1)} s; the longest write took ${reads.slowestMs.toFixed(1)} ms`;

export const bulkLines = ({
  size,
  enginePerSecond,
  insertedPerSecond,
  share,
}: BulkFigures): string =>
  `Bulks of a thousand inside a process, in a ledger of ${size} transactions:
  ${whole(enginePerSecond)} transactions a second, and ${whole(insertedPerSecond)} where the same rows are only inserted: ${percent(share)}`;

export const readLines = ({ figures, memoryMb, ...logs }: ReadReport): string =>
  [
    "Reads inside a process, in milliseconds: the median, the slowest run and its limit",
    ...figures.map(figureLine),
    ...entriesLine("exported", logs.exportedPerSecond),
    ...entriesLine("imported", logs.importedPerSecond),
    ...entriesLine("verified", logs.verifiedPerSecond),
    `  ${memoryMb.toFixed(0)} MB of memory at most, the runtime of Node included`,
  ].join("\n");

const entriesLine = (done: string, perSecond: number | undefined): string[] =>
  perSecond === undefined ? [] : [`  ${whole(perSecond)} log entries are ${done} in a second`];

export const deliveryLines = (figures: readonly ReadFigures[]): string =>
  [
    "Lists of a million deliveries of one endpoint, in milliseconds: the median, the slowest run and its limit",
    ...figures.map(figureLine),
  ].join("\n");

export const paymentLines = ({ count, lists, storedPerSecond }: PaymentsReport): string =>
  [
    `Lists of payments with ${whole(count)} rows, in milliseconds: the median and the slowest run of the worst pages, and the limit`,
    ...lists.flatMap(listLines),
    ...(storedPerSecond === undefined
      ? []
      : [
          `  pages of a provider are stored with ${whole(storedPerSecond)} payments a second, their events included`,
        ]),
  ].join("\n");

/** The lines of a list: its worst page, and each page above the limit. */
function listLines({ list, reads }: ListFigures): string[] {
  const worst = reads.reduce((a, b) => (a.medianMs < b.medianMs ? b : a));
  const slowestMs = Math.max(...reads.map((read) => read.slowestMs));
  const tooSlow = reads.filter((read) => read.slowestMs > read.limitMs);
  return [
    `${figureLine({ ...worst, name: `${list}, ${reads.length} pages`, slowestMs })}  by ${worst.name}`,
    ...tooSlow.map((read) => figureLine({ ...read, name: `  ${read.name}` })),
  ];
}

export const expressionLines = (figures: readonly ExpressionFigures[]): string =>
  [
    "Filters of triggers, in microseconds for each evaluation, and the limit",
    ...figures.map(({ source, micros, limitMicros }) => {
      const cells = [micros.toFixed(2), `${limitMicros}`].map((cell) => cell.padStart(9)).join("");
      return `  ${source.padEnd(EXPRESSION_WIDTH)}${cells}${micros > limitMicros ? "  too slow" : ""}`;
    }),
  ].join("\n");

const EXPRESSION_WIDTH = 90;

function figureLine({ name, medianMs, slowestMs, limitMs }: ReadFigures): string {
  const cells = [medianMs.toFixed(2), slowestMs.toFixed(2), `${limitMs}`];
  const mark = slowestMs > limitMs ? "  too slow" : "";
  return `  ${name.padEnd(FIGURE_NAME_WIDTH)}${cells.map((cell) => cell.padStart(9)).join("")}${mark}`;
}

const FIGURE_NAME_WIDTH = 44;

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** Aligns the name to the left and the figures to the right. */
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => {
      const width = COLUMNS[index]?.[1] ?? 0;
      return index === 0 ? cell.padEnd(width) : cell.padStart(width);
    })
    .join("");

const whole = (value: number | undefined): string =>
  value === undefined ? "" : Math.round(value).toString();
