import { z } from "@hono/zod-openapi";
import type { CsvMapping } from "#modules/reconciliation/core/statements/index.ts";

const TEXT_MAX = 200;
const Text = z.string().max(TEXT_MAX);
const Column = z.union([Text.min(1), z.int().min(1).max(1000)]).openapi({
  description: "A column by its name in the header, or by its place, from 1.",
});
const Words = z.array(Text).max(50);

const Amount = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("amount"), amount: Column, negate: z.boolean().optional() }),
  z.strictObject({ by: z.literal("columns"), credit: Column, debit: Column }),
  z.strictObject({
    by: z.literal("word"),
    amount: Column,
    word: Column,
    credit: Words,
    debit: Words,
  }),
]);

const Columns = z.strictObject({
  date: Column,
  valueDate: Column.optional(),
  currency: Column.optional(),
  fee: Column.optional(),
  balance: Column.optional(),
  endToEndId: Column.optional(),
  instructionId: Column.optional(),
  providerId: Column.optional(),
  mandateId: Column.optional(),
  batchId: Column.optional(),
  text: z.array(Column).max(20).optional(),
  name: Column.optional(),
  account: Column.optional(),
  category: Column.optional(),
});

const Mapping = z.strictObject({
  delimiter: z.string().openapi({ description: "One character." }),
  quote: z.string().optional().openapi({ description: 'One character; `"` by default.' }),
  skipLines: z.int().min(0).max(10_000).optional(),
  header: z.boolean().optional().openapi({ description: "True by default." }),
  dateFormat: Text.openapi({
    description: "Of `YYYY`, `YY`, `MM`, `M`, `DD`, `D`, `MMM` and signs between them.",
    example: "DD.MM.YYYY",
  }),
  timeFollows: z.boolean().optional(),
  months: z.array(Text).max(12).optional(),
  decimalSign: z.enum([".", ","]),
  thousandsSign: z.enum([".", ",", " ", "'"]).optional(),
  amount: Amount.openapi({
    description:
      "Where the sign is: in the `amount`, by two `columns` of which each line fills one, or by a `word` beside the amount.",
  }),
  asset: Text.optional().openapi({
    description: "The currency of all lines, unless a column has it.",
  }),
  columns: Columns,
  pending: z.strictObject({ column: Column, words: Words }).optional(),
  newestFirst: z.boolean().optional(),
  statement: z
    .strictObject({ id: Text.optional(), account: Text.optional() })
    .optional()
    .openapi({ description: "What the file does not say itself." }),
});

/** How files of the format `csv` are read. The use case says what contradicts itself. */
export const MappingSchema = Mapping.transform(toMapping).openapi("StatementMapping", {
  type: "object",
  example: {
    delimiter: ";",
    dateFormat: "DD.MM.YYYY",
    decimalSign: ",",
    thousandsSign: ".",
    amount: { by: "amount", amount: "Betrag" },
    asset: "EUR",
    columns: { date: "Buchungstag", text: ["Verwendungszweck"], name: "Auftraggeber" },
  },
});

/** A mapping without members that are undefined. */
function toMapping(mapping: z.output<typeof Mapping>): CsvMapping {
  return withoutUndefined(mapping) as CsvMapping; // the schema has the members of the type
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([name, member]) => {
      if (member === undefined) return [];
      const isPlain = typeof member === "object" && member !== null && !Array.isArray(member);
      return [[name, isPlain ? withoutUndefined(member) : member]];
    }),
  );
}
