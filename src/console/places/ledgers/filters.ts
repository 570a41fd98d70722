import { ledgerWords } from "./words.ts";
import { type Condition, filterOf } from "#console/parts/filters/api-filter.ts";
import type { FilterField, FilterValues } from "#console/parts/filters/filter-text.ts";
import { isDate, toInstant } from "#console/parts/time/instant.ts";

const METADATA = /^([^=]+)=(.*)$/;
const BALANCE = /^([A-Z][A-Z0-9_/-]*)\s*>\s*(-?\d+)$/;

export function ledgerFields(): readonly FilterField[] {
  const words = ledgerWords();
  return [
    { id: "name", label: words.fields.name, example: "eu-" },
    { id: "bucket", label: words.bucket, example: "_default" },
    {
      id: "metadata",
      label: words.fields.metadata,
      example: "country=FR",
      accepts: (text) => METADATA.test(text),
    },
  ];
}

export function transactionFields(): readonly FilterField[] {
  const words = ledgerWords().fields;
  return [
    { id: "account", label: words.account, example: "users:42, users:" },
    { id: "source", label: words.source, example: "world" },
    { id: "destination", label: words.destination, example: "users:42" },
    { id: "reference", label: words.reference, example: "order-1234" },
    {
      id: "after",
      label: words.after,
      example: "2026-11-01",
      choices: recentDays(),
      accepts: isDate,
    },
    { id: "before", label: words.before, example: "2026-12-01", accepts: isDate },
    {
      id: "reverted",
      label: words.reverted,
      example: "true",
      choices: [
        { value: "true", label: words.yes },
        { value: "false", label: words.no },
      ],
    },
    {
      id: "metadata",
      label: words.metadata,
      example: "order=1234",
      accepts: (text) => METADATA.test(text),
    },
  ];
}

export function accountFields(): readonly FilterField[] {
  const words = ledgerWords().fields;
  return [
    { id: "address", label: words.address, example: "users:, users::main" },
    {
      id: "balance",
      label: words.balance,
      example: "EUR/2>10000",
      accepts: (text) => BALANCE.test(text),
    },
    {
      id: "metadata",
      label: words.metadata,
      example: "tier=gold",
      accepts: (text) => METADATA.test(text),
    },
  ];
}

export const ledgerFilter = (values: FilterValues): string | undefined =>
  filterOf(values, {
    name: (value) => ({ $like: { name: `%${value}%` } }),
    bucket: (value) => ({ $match: { bucket: value } }),
    metadata,
  });

/** The filter of the API for the filters of the URL; undefined without filters. */
export function transactionFilter(values: FilterValues): string | undefined {
  return filterOf(values, {
    account: (value) => ({ $match: { account: value } }),
    source: (value) => ({ $match: { source: value } }),
    destination: (value) => ({ $match: { destination: value } }),
    reference: (value) => ({ $match: { reference: value } }),
    after: (value) => ({ $gte: { timestamp: toInstant(value) } }),
    before: (value) => ({ $lt: { timestamp: toInstant(value) } }),
    reverted: (value) => ({ $match: { reverted: value === "true" } }),
    metadata,
  });
}

export function accountFilter(values: FilterValues): string | undefined {
  return filterOf(values, {
    address: (value) => ({ $match: { address: value } }),
    balance: (value) => {
      const [, asset = "", amount = "0"] = BALANCE.exec(value) ?? [];
      return { $gt: { [`balance[${asset}]`]: BigInt(amount) } };
    },
    metadata,
  });
}

function metadata(value: string): Condition {
  const [, key = "", expected = ""] = METADATA.exec(value) ?? [];
  return { $match: { [`metadata[${key}]`]: expected } };
}

/** The beginnings of today and of the days a week and a month ago. */
function recentDays(): { value: string; label: string }[] {
  const words = ledgerWords();
  const { week, month } = words.account.period;
  return [
    { days: 0, label: words.fields.today },
    { days: 7, label: week },
    { days: 30, label: month },
  ].map(({ days, label }) => {
    const date = new Date();
    date.setDate(date.getDate() - days);
    return { value: dayOf(date), label: `${label} · ${dayOf(date)}` };
  });
}

function dayOf(date: Date): string {
  const pad = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
