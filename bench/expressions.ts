import { evaluateExpression, fromJson, momentAt, parseExpression } from "#expr";
import { parseJson } from "#platform/json.ts";

export const EXPRESSIONS_NAME = "expressions";

export interface ExpressionFigures {
  readonly source: string;
  /** Time of one evaluation after a warm-up, in microseconds. */
  readonly micros: number;
  readonly limitMicros: number;
}

const LIMIT_MICROS = 20;
const WARM_RUNS = 20_000;
const RUNS = 50_000;

const SOURCES = [
  'event.status == "SUCCEEDED" && event.asset startsWith "EUR"',
  'any(event.transactions, any(.postings, .destination == "bank"))',
  'event.metadata?.tier ?? "basic" | upper() in ["GOLD", "SILVER"]',
  'event.amount > 100 and event.amount < 1e9 and event.reference matches "^order-[0-9]+$"',
];

const EVENT = fromJson(
  parseJson(
    JSON.stringify({
      status: "SUCCEEDED",
      asset: "EUR/2",
      amount: 1_200_000,
      reference: "order-1234",
      metadata: { tier: "gold" },
      transactions: [
        {
          postings: [
            { source: "world", destination: "users:1" },
            { source: "users:1", destination: "bank" },
          ],
        },
      ],
    }),
  ),
);

/** Measures the evaluation of typical filters of triggers. */
export function measureExpressions(): ExpressionFigures[] {
  return SOURCES.map((source) => {
    const parsed = parseExpression(source);
    if (!parsed.ok) throw new Error(`${source}: ${parsed.diagnostic.message}`);
    const { expression } = parsed;
    const input = { names: { event: EVENT }, now: () => momentAt(0n) };
    const run = (runs: number): void => {
      for (let count = 0; count < runs; count++) {
        const result = evaluateExpression(expression, input);
        if (result.kind !== "value") throw new Error(`${source} has no value`);
      }
    };
    run(WARM_RUNS);
    const startMs = performance.now();
    run(RUNS);
    const micros = ((performance.now() - startMs) * 1000) / RUNS;
    return { source, micros, limitMicros: LIMIT_MICROS };
  });
}
