import { feeOf } from "./charges.ts";
import { amountOf, isCredit } from "./entry-values.ts";
import type { StatementLine } from "#modules/reconciliation/core/statements/model/statement.ts";
import type {
  StatementAsset,
  StatementAssets,
} from "#modules/reconciliation/core/statements/values/assets.ts";
import { parseIsoDate } from "#modules/reconciliation/core/statements/values/calendar.ts";
import type {
  ElementField,
  ElementFields,
} from "#modules/reconciliation/core/statements/values/element-fields.ts";
import {
  joinTexts,
  referenceOf,
  textOf,
} from "#modules/reconciliation/core/statements/values/texts.ts";

/** The transaction details of an entry. */
export interface Details {
  readonly fields: ElementFields;
  readonly source: string;
}

export const readDetails = (fields: ElementFields, source: string): Details => ({ fields, source });

/** A booked entry. */
export interface CamtEntry {
  readonly fields: ElementFields;
  readonly source: string;
  readonly amount: bigint;
  readonly asset: StatementAsset;
  readonly details: readonly Details[];
}

type Line = Omit<StatementLine, "status">;

/** The lines of an entry: one for each of its details when their amounts add up to the entry, and otherwise one. */
export function entryLines(entry: CamtEntry, assets: StatementAssets): Line[] {
  const [only, ...more] = entry.details;
  if (more.length === 0) return [lineOf(entry, { details: only, amount: entry.amount, assets })];
  const amounts = entry.details.map(({ fields }) => detailsAmount(fields, entry, assets));
  const known = amounts.filter((amount) => amount !== undefined);
  const sum = known.reduce((total, amount) => total + amount, 0n);
  const isDivided = known.length === amounts.length && sum === entry.amount;
  if (!isDivided) return [lineOf(entry, { details: undefined, amount: entry.amount, assets })];
  return entry.details.map((details, i) =>
    lineOf(entry, { details, amount: amounts[i] ?? 0n, assets }),
  );
}

/** The signed amount of details in the entry's currency; undefined when they state none. */
function detailsAmount(
  fields: ElementFields,
  entry: CamtEntry,
  assets: StatementAssets,
): bigint | undefined {
  const field = inCurrency(fields, entry.asset);
  if (field === undefined) return undefined;
  const { amount } = amountOf(field, assets);
  const indicator = fields.find("CdtDbtInd");
  const isPositive = indicator === undefined ? entry.amount >= 0n : isCredit(indicator);
  return isPositive ? amount : -amount;
}

/** Later versions have the amount in the details themselves; version 2 has it among the amounts that were converted. */
const AMOUNT_PATHS = ["Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt"];

const inCurrency = (
  fields: ElementFields,
  { currency }: StatementAsset,
): ElementField | undefined =>
  AMOUNT_PATHS.map((path) => fields.find(path)).find(
    (field) => field?.currency?.text.trim() === currency,
  );

interface LineParts {
  readonly details: Details | undefined;
  readonly amount: bigint;
  readonly assets: StatementAssets;
}

function lineOf(entry: CamtEntry, { details, amount, assets }: LineParts): Line {
  const { fields: own, asset } = entry;
  const inner = details?.fields;
  const valueDate = own.find("ValDt/Dt", "ValDt/DtTm");
  const day =
    own.find("BookgDt/Dt", "BookgDt/DtTm") ?? own.get("BookgDt/Dt", "ValDt/Dt", "ValDt/DtTm");
  return {
    date: parseIsoDate(day, "The booking date of an entry"),
    valueDate:
      valueDate === undefined ? undefined : parseIsoDate(valueDate, "The value date of an entry"),
    amount,
    asset: asset.name,
    fee:
      feeOf(inner ?? own, asset, assets) ??
      (inner === undefined ? undefined : feeOfOnly(entry, assets)),
    references: {
      endToEndId: referenceOf(inner?.text("Refs/EndToEndId")),
      instructionId: referenceOf(inner?.text("Refs/InstrId")),
      providerId:
        referenceOf(inner?.text("Refs/AcctSvcrRef")) ??
        referenceOf(own.text("AcctSvcrRef")) ??
        referenceOf(own.text("NtryRef")),
      mandateId: referenceOf(inner?.text("Refs/MndtId")),
      batchId:
        referenceOf(inner?.text("Refs/PmtInfId")) ??
        referenceOf(own.text("NtryDtls/Btch/PmtInfId")),
      text: textOfEntry(own, inner),
    },
    counterparty: counterpartyOf(inner, amount),
    category: categoryOf(inner) ?? categoryOf(own),
    raw: details !== undefined && entry.details.length > 1 ? details.source : entry.source,
    position: inner !== undefined && entry.details.length > 1 ? inner.position : own.position,
  };
}

/** The charges of an entry belong to its only details; nobody knows how several ones share them. */
const feeOfOnly = (
  { details, fields, asset }: CamtEntry,
  assets: StatementAssets,
): bigint | undefined => (details.length === 1 ? feeOf(fields, asset, assets) : undefined);

function textOfEntry(own: ElementFields, inner: ElementFields | undefined): string | undefined {
  const unstructured = inner?.all("RmtInf/Ustrd").map(({ text }) => text) ?? [];
  const structured = inner?.all("RmtInf/Strd/CdtrRefInf/Ref").map(({ text }) => text) ?? [];
  const remittance = joinTexts([...unstructured, ...structured]);
  return (
    remittance ?? joinTexts([inner?.text("AddtlTxInf")]) ?? joinTexts([own.text("AddtlNtryInf")])
  );
}

/** The other side: the debtor of what came in, the creditor of what went out. Version 8 has a party in an element of its own. */
function counterpartyOf(
  inner: ElementFields | undefined,
  amount: bigint,
): StatementLine["counterparty"] {
  const side = amount < 0n ? "Cdtr" : "Dbtr";
  const party = `RltdPties/${side}`;
  const account = `RltdPties/${side}Acct/Id`;
  const ultimate = `RltdPties/Ultmt${side}`;
  const name = inner?.text(
    `${party}/Nm`,
    `${party}/Pty/Nm`,
    `${ultimate}/Nm`,
    `${ultimate}/Pty/Nm`,
  );
  return {
    name: textOf(name),
    account: textOf(inner?.text(`${account}/IBAN`, `${account}/Othr/Id`)),
  };
}

/** The bank transaction code: domain, family and subfamily, or the bank's own code. */
function categoryOf(fields: ElementFields | undefined): string | undefined {
  const parts = ["Domn/Cd", "Domn/Fmly/Cd", "Domn/Fmly/SubFmlyCd"].map((path) =>
    textOf(fields?.text(`BkTxCd/${path}`)),
  );
  const domain = parts.filter((part) => part !== undefined).join("/");
  return domain === "" ? textOf(fields?.text("BkTxCd/Prtry/Cd")) : domain;
}
