import type { components } from "#openapi";

/** How the amounts of a CSV file have their sign. */
export type SignRule = "amount" | "columns" | "word";

/** The values of the form of a mapping. Columns are named as the header names them, or by their numbers; empty for none. */
export interface MappingDraft {
  readonly delimiter: string;
  readonly hasHeader: boolean;
  readonly skipLines: string;
  readonly dateFormat: string;
  readonly decimalSign: "." | ",";
  readonly thousandsSign: "" | "." | "," | " " | "'";
  readonly sign: SignRule;
  readonly negate: boolean;
  readonly amount: string;
  readonly credit: string;
  readonly debit: string;
  readonly word: string;
  readonly creditWords: string;
  readonly debitWords: string;
  /** The currency of all lines; empty where a column has it. */
  readonly asset: string;
  readonly columns: Readonly<Record<ColumnRole, string>>;
  /** Columns of free text, with commas between them. */
  readonly text: string;
}

/** What a column may be for. */
export const COLUMN_ROLES = [
  "date",
  "valueDate",
  "currency",
  "name",
  "account",
  "endToEndId",
  "instructionId",
  "providerId",
  "mandateId",
  "batchId",
  "fee",
  "balance",
  "category",
] as const;
export type ColumnRole = (typeof COLUMN_ROLES)[number];

const NO_COLUMNS = Object.fromEntries(COLUMN_ROLES.map((role) => [role, ""])) as Readonly<
  Record<ColumnRole, string>
>;

export const EMPTY_MAPPING: MappingDraft = {
  delimiter: ";",
  hasHeader: true,
  skipLines: "0",
  dateFormat: "YYYY-MM-DD",
  decimalSign: ".",
  thousandsSign: "",
  sign: "amount",
  negate: false,
  amount: "",
  credit: "",
  debit: "",
  word: "",
  creditWords: "",
  debitWords: "",
  asset: "",
  columns: NO_COLUMNS,
  text: "",
};

/** The mapping of the API, whose document leaves its members out. */
export interface WireMapping {
  readonly delimiter: string;
  readonly header?: boolean;
  readonly skipLines?: number;
  readonly dateFormat: string;
  readonly decimalSign: "." | ",";
  readonly thousandsSign?: "." | "," | " " | "'";
  readonly amount: WireAmount;
  readonly asset?: string;
  readonly columns: Readonly<Partial<Record<ColumnRole, WireColumn>>> & {
    readonly text?: readonly WireColumn[];
  };
}

type WireColumn = string | number;

type WireAmount =
  | { readonly by: "amount"; readonly amount: WireColumn; readonly negate?: boolean }
  | { readonly by: "columns"; readonly credit: WireColumn; readonly debit: WireColumn }
  | {
      readonly by: "word";
      readonly amount: WireColumn;
      readonly word: WireColumn;
      readonly credit: readonly string[];
      readonly debit: readonly string[];
    };

/** A mapping as the types of the document have it. */
export const asDocumented = (mapping: WireMapping): components["schemas"]["StatementMapping"] =>
  mapping as unknown as components["schemas"]["StatementMapping"];

/** The mapping of the form. Members that the form does not show stay as they are in `before`. */
export function toMapping(draft: MappingDraft, before: Partial<WireMapping> = {}): WireMapping {
  const { asset: _asset, thousandsSign: _sign, ...others } = before;
  const skipped = Number(draft.skipLines);
  return {
    ...others,
    delimiter: draft.delimiter,
    header: draft.hasHeader,
    skipLines: Number.isInteger(skipped) && skipped > 0 ? skipped : 0,
    dateFormat: draft.dateFormat,
    decimalSign: draft.decimalSign,
    ...(draft.thousandsSign === "" ? {} : { thousandsSign: draft.thousandsSign }),
    amount: toAmount(draft),
    ...(draft.asset === "" ? {} : { asset: draft.asset }),
    columns: columnsIn(draft),
  };
}

function toAmount(draft: MappingDraft): WireAmount {
  const column = (name: string): WireColumn => toColumn(draft, name);
  switch (draft.sign) {
    case "amount":
      return {
        by: "amount",
        amount: column(draft.amount),
        ...(draft.negate ? { negate: true } : {}),
      };
    case "columns":
      return { by: "columns", credit: column(draft.credit), debit: column(draft.debit) };
    case "word":
      return {
        by: "word",
        amount: column(draft.amount),
        word: column(draft.word),
        credit: listIn(draft.creditWords),
        debit: listIn(draft.debitWords),
      };
  }
}

function columnsIn(draft: MappingDraft): WireMapping["columns"] {
  const named = COLUMN_ROLES.flatMap((role) => {
    const name = draft.columns[role];
    return name === "" ? [] : [[role, toColumn(draft, name)] as const];
  });
  const text = listIn(draft.text).map((name) => toColumn(draft, name));
  return { ...Object.fromEntries(named), ...(text.length === 0 ? {} : { text }) };
}

/** A column of the API: a number without a header, otherwise a name. */
const toColumn = ({ hasHeader }: MappingDraft, name: string): WireColumn =>
  !hasHeader && /^\d{1,4}$/.test(name) ? Number(name) : name;

const listIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** The values of the form for a mapping that a source has. */
export function draftOfMapping(mapping: Partial<WireMapping>): MappingDraft {
  const { amount, columns = {} } = mapping;
  const textOf = (column: WireColumn | undefined): string =>
    column === undefined ? "" : String(column);
  return {
    ...EMPTY_MAPPING,
    delimiter: mapping.delimiter ?? ";",
    hasHeader: mapping.header ?? true,
    skipLines: String(mapping.skipLines ?? 0),
    dateFormat: mapping.dateFormat ?? "",
    decimalSign: mapping.decimalSign ?? ".",
    thousandsSign: mapping.thousandsSign ?? "",
    asset: mapping.asset ?? "",
    columns: {
      ...NO_COLUMNS,
      ...Object.fromEntries(COLUMN_ROLES.map((role) => [role, textOf(columns[role])])),
    },
    text: (columns.text ?? []).join(", "),
    ...(amount === undefined ? {} : amountDraftOf(amount)),
  };
}

function amountDraftOf(amount: WireAmount): Partial<MappingDraft> {
  if (amount.by === "amount")
    return { sign: "amount", amount: String(amount.amount), negate: amount.negate ?? false };
  if (amount.by === "columns")
    return { sign: "columns", credit: String(amount.credit), debit: String(amount.debit) };
  return {
    sign: "word",
    amount: String(amount.amount),
    word: String(amount.word),
    creditWords: amount.credit.join(", "),
    debitWords: amount.debit.join(", "),
  };
}

/** Whether a mapping has what every mapping needs, so that it is worth a preview. */
export function isComplete({ columns, sign, amount, credit, debit, word }: MappingDraft): boolean {
  if (columns.date === "") return false;
  if (sign === "columns") return credit !== "" && debit !== "";
  return amount !== "" && (sign === "amount" || word !== "");
}
