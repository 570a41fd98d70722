import { PLAN_DOLLARS, PRICES, type Price, type Unit } from "./prices.ts";
import { ledgersOf, typicalWorkload, usageOf } from "./usage.ts";
import { markdownTable, withGeneratedPart } from "#scripts/lib/generated-part.ts";

/** What a workload costs in a month. */
export interface Cost {
  readonly lines: readonly CostLine[];
  readonly ledgers: number;
  /** The lines and the plan. */
  readonly dollars: number;
}

export interface CostLine {
  readonly unit: Unit;
  readonly amount: number;
  readonly dollars: number;
}

const UNITS = Object.keys(PRICES) as Unit[]; // `PRICES` has no other keys.

/** What a number of transactions a month costs, with the workload that the guide describes. */
export function costOf(transactions: number): Cost {
  const workload = typicalWorkload(transactions);
  const usage = usageOf(workload);
  const lines = UNITS.map((unit) => ({
    unit,
    amount: usage[unit],
    dollars: dollarsOf(PRICES[unit], usage[unit]),
  }));
  const dollars = lines.reduce((sum, line) => sum + line.dollars, PLAN_DOLLARS);
  return { lines, ledgers: ledgersOf(workload), dollars };
}

/** What an amount costs beyond what the plan includes. */
export const dollarsOf = ({ dollars, per, included }: Price, amount: number): number =>
  (Math.max(0, amount - included) / per) * dollars;

const MILLION = 1_000_000;

/** The numbers of transactions a month in the guide's table. */
const COLUMNS = [MILLION, 100 * MILLION, 1000 * MILLION];

/** The table of costs, in Markdown. */
export function costTable(columns: readonly number[] = COLUMNS): string {
  const costs = columns.map(costOf);
  const lineOf = (unit: Unit, cost: Cost): string => {
    const line = cost.lines.find((one) => one.unit === unit);
    return line === undefined ? "" : `${count(line.amount)}: ${money(line.dollars)}`;
  };
  return markdownTable(
    ["A month", ...columns.map((column) => `${count(column)} transactions`)],
    [
      ["ledgers", ...costs.map(({ ledgers }) => String(ledgers))],
      ["plan", ...costs.map(() => money(PLAN_DOLLARS))],
      ...UNITS.map((unit) => [PRICES[unit].name, ...costs.map((cost) => lineOf(unit, cost))]),
      ["**in all**", ...costs.map(({ dollars }) => `**${money(dollars)}**`)],
      [
        "for 1,000 transactions",
        ...costs.map(({ dollars }, index) => cents((dollars / (columns[index] ?? 1)) * 1000)),
      ],
    ],
  );
}

/** The page about costs with the table of today's program. */
export const withCosts = (page: string): string =>
  withGeneratedPart(page, { name: "costs", command: "cost -- --write", text: costTable() });

const count = (amount: number): string => {
  if (amount >= 1000 * MILLION) return `${round(amount / (1000 * MILLION))} billion`;
  if (amount >= MILLION) return `${round(amount / MILLION)} million`;
  return round(amount);
};

const DIGITS = 3;

const round = (value: number): string =>
  Number(value.toPrecision(DIGITS)).toLocaleString("en-US", { maximumFractionDigits: 2 });

const money = (dollars: number): string => {
  const digits = dollars < 100 && !Number.isInteger(dollars) ? 2 : 0;
  return `$${dollars.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
};

const cents = (dollars: number): string => `${(dollars * 100).toFixed(2)} ¢`;
