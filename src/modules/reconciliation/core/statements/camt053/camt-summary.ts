import { isCredit, XML_DECIMAL } from "./entry-values.ts";
import { StatementError } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import {
  type StatementAsset,
  showAmount,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import {
  parseAmount,
  parseCount,
} from "#modules/reconciliation/core/statements/values/decimals.ts";
import type {
  ElementField,
  ElementFields,
} from "#modules/reconciliation/core/statements/values/element-fields.ts";

/** Counts and sums of entries. */
interface Sum {
  count: number;
  sum: bigint;
}
interface Sums {
  readonly credit: Sum;
  readonly debit: Sum;
}

/** What `TxsSummry` states, counted from the entries. */
export class EntrySums {
  readonly all: Sums = newSums();
  /** The entries that are not booked, which some banks leave out of the summary. */
  readonly pending: Sums = newSums();

  add(amount: bigint): void {
    addTo(this.all, amount);
  }

  addPending(amount: bigint): void {
    addTo(this.pending, amount);
  }
}

const newSums = (): Sums => ({
  credit: { count: 0, sum: 0n },
  debit: { count: 0, sum: 0n },
});

function addTo(sums: Sums, amount: bigint): void {
  const side = amount < 0n ? sums.debit : sums.credit;
  side.count++;
  side.sum += amount < 0n ? -amount : amount;
}

/** One count or sum of the summary, and what it may be: of all entries, or of the booked ones. */
interface Check {
  readonly path: string;
  readonly of: (sums: Sums) => bigint;
}

const PATH = "TxsSummry";
const COUNTS: readonly Check[] = [
  { path: "TtlNtries/NbOfNtries", of: ({ credit, debit }) => BigInt(credit.count + debit.count) },
  { path: "TtlCdtNtries/NbOfNtries", of: ({ credit }) => BigInt(credit.count) },
  { path: "TtlDbtNtries/NbOfNtries", of: ({ debit }) => BigInt(debit.count) },
];
const AMOUNTS: readonly Check[] = [
  { path: "TtlNtries/Sum", of: ({ credit, debit }) => credit.sum + debit.sum },
  { path: "TtlCdtNtries/Sum", of: ({ credit }) => credit.sum },
  { path: "TtlDbtNtries/Sum", of: ({ debit }) => debit.sum },
];

/** Throws `StatementError` when a count or sum of `TxsSummry` is not that of the entries. */
export function checkSummary(fields: ElementFields, sums: EntrySums, asset: StatementAsset): void {
  for (const { path, of } of COUNTS) {
    const stated = fields.find(`${PATH}/${path}`);
    if (stated === undefined) continue;
    const count = BigInt(parseCount(stated, path));
    assertOneOf({ stated, value: count, path, show: String }, allowed(sums, of));
  }
  const show = (amount: bigint): string => showAmount(amount, asset);
  for (const { path, of } of AMOUNTS) {
    const stated = fields.find(`${PATH}/${path}`);
    if (stated === undefined) continue;
    const options = { form: XML_DECIMAL, decimals: asset.decimals, what: path };
    assertOneOf({ stated, value: parseAmount(stated, options), path, show }, allowed(sums, of));
  }
  checkNet(fields, sums, asset);
}

/** The net amount, which stands beside its indicator in version 2 and in an element of its own later. */
function checkNet(fields: ElementFields, sums: EntrySums, asset: StatementAsset): void {
  const base = `${PATH}/TtlNtries`;
  const stated = fields.find(`${base}/TtlNetNtryAmt`, `${base}/TtlNetNtry/Amt`);
  const indicator = fields.find(`${base}/CdtDbtInd`, `${base}/TtlNetNtry/CdtDbtInd`);
  if (stated === undefined || indicator === undefined) return;
  const path = "TtlNtries/TtlNetNtry";
  const amount = parseAmount(stated, { form: XML_DECIMAL, decimals: asset.decimals, what: path });
  const value = isCredit(indicator) ? amount : -amount;
  const show = (amount: bigint): string => showAmount(amount, asset);
  assertOneOf(
    { stated, value, path, show },
    allowed(sums, ({ credit, debit }) => credit.sum - debit.sum),
  );
}

const allowed = ({ all, pending }: EntrySums, of: (sums: Sums) => bigint): readonly bigint[] => [
  of(all) - of(pending),
  of(all),
];

interface Stated {
  readonly stated: ElementField;
  readonly value: bigint;
  readonly path: string;
  readonly show: (value: bigint) => string;
}

function assertOneOf({ stated, value, path, show }: Stated, values: readonly bigint[]): void {
  if (values.includes(value)) return;
  const message = `The summary states ${show(value)} for ${path}, but the entries make ${show(values[0] ?? 0n)}.`;
  throw new StatementError("CONTROL_TOTAL", message, stated.position);
}
