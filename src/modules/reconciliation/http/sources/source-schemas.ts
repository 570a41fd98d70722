import { z } from "@hono/zod-openapi";
import { MappingSchema } from "./mapping-schema.ts";
import { LINE_FIELDS } from "#modules/reconciliation/core/matching/line.ts";
import { ENCODINGS, STATEMENT_FORMATS } from "#modules/reconciliation/core/statements/index.ts";
import { uuidParam } from "#modules/reconciliation/http/path-ids.ts";
import type { SourcePatch } from "#modules/reconciliation/sources/change.ts";
import type { NewSource } from "#modules/reconciliation/sources/create.ts";
import { DIRECTIONS } from "#modules/reconciliation/sources/definition.ts";
import type { LineSource } from "#modules/reconciliation/sources/source.ts";
import { TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const TEXT_MAX = 1024;
const Name = z.string().openapi({ description: "Any text." });

export const DecimalsSchema = z
  .record(z.string().regex(/^[A-Z][A-Z0-9_]{0,16}$/), z.int().min(0).max(30))
  .openapi({
    description: "The number of decimals of currencies, where it is not that of ISO 4217.",
    example: { USDC: 6 },
  });

/** How a file is read, in a source and in a preview. Absent members are found out from the file. */
export const ReadingFields = {
  format: z.enum(STATEMENT_FORMATS).optional(),
  mapping: MappingSchema.optional(),
  encoding: z.enum(ENCODINGS).optional(),
  decimals: DecimalsSchema.optional(),
};

const Account = z.string().min(1).max(TEXT_MAX).openapi({
  description: "The account of which all files have to be; blanks and dashes do not count.",
});

const References = z.partialRecord(z.enum(LINE_FIELDS), z.string().min(1).max(TEXT_MAX)).openapi({
  type: "object",
  description:
    "The metadata keys of transactions that give a line its texts. `providerId` is by default the reference of the transaction.",
  example: { endToEndId: "end_to_end_id" },
});

const StatementFields = z.strictObject({
  kind: z.literal("statement"),
  account: Account.optional(),
  ...ReadingFields,
});
const AccountsFields = z.strictObject({
  kind: z.literal("accounts"),
  ledger: z.string(),
  account: z.string().min(1).max(TEXT_MAX).openapi({
    description: "An address, or a pattern as filters of the ledger have it.",
    example: "bank:main",
  }),
  direction: z.enum(DIRECTIONS).default("both").openapi({
    description: "Which postings: those into the accounts, those out of them, or both.",
  }),
  negate: z.boolean().default(false).openapi({
    description: "Whether amounts have the other sign: for accounts that owe what a bank holds.",
  }),
  references: References.default({}),
});
const ConnectorFields = z.strictObject({
  kind: z.literal("connector"),
  connectorID: z.string().max(TEXT_MAX),
});
const PoolFields = z.strictObject({ kind: z.literal("pool"), poolID: uuidParam() });

/** A new source, by its kind. */
export const SourceRequest = z
  .discriminatedUnion("kind", [
    StatementFields.extend({ name: Name }),
    AccountsFields.extend({ name: Name }),
    ConnectorFields.extend({ name: Name }),
    PoolFields.extend({ name: Name }),
  ])
  .openapi("SourceRequest", {
    example: { name: "house bank", kind: "statement", account: "DE02 1203 0000 0000 2020 51" },
  });

export function toNewSource({ name, ...definition }: z.output<typeof SourceRequest>): NewSource {
  return { name, definition };
}

/** A change of a source. Members that are null go. */
export const SourcePatchRequest = z
  .strictObject({
    name: Name.optional(),
    account: Account.nullish(),
    format: ReadingFields.format.nullable(),
    mapping: ReadingFields.mapping.nullable(),
    encoding: ReadingFields.encoding.nullable(),
    decimals: ReadingFields.decimals.nullable(),
    references: References.optional(),
  })
  .openapi("SourcePatchRequest", { example: { name: "house bank, Berlin" } });

export const toPatch = (patch: z.output<typeof SourcePatchRequest>): SourcePatch => patch;

const Common = z.object({
  id: z.string().openapi({ format: "uuid" }),
  name: z.string(),
  createdAt: TimestampOutput,
  updatedAt: TimestampOutput,
  createdBy: z.string().openapi({ description: "The subject of the token." }),
});

export const SourceResponse = z
  .union([
    Common.extend({
      kind: z.literal("statement"),
      account: z.string().optional(),
      format: z.enum(STATEMENT_FORMATS).optional(),
      mapping: z.record(z.string(), z.unknown()).optional(),
      encoding: z.enum(ENCODINGS).optional(),
      decimals: z.record(z.string(), z.int()).optional(),
    }),
    Common.extend({
      kind: z.literal("accounts"),
      ledger: z.string(),
      account: z.string(),
      direction: z.enum(DIRECTIONS),
      negate: z.boolean(),
      references: z.record(z.string(), z.string()),
    }),
    Common.extend({ kind: z.literal("connector"), connectorID: z.string() }),
    Common.extend({ kind: z.literal("pool"), poolID: z.string().openapi({ format: "uuid" }) }),
  ])
  .openapi("Source");

export const toSourceView = (source: LineSource): z.input<typeof SourceResponse> =>
  ({
    id: source.id,
    name: source.name,
    ...source.definition,
    createdAt: formatTimestamp(source.createdAt),
    updatedAt: formatTimestamp(source.updatedAt),
    createdBy: source.createdBy,
  }) as z.input<typeof SourceResponse>; // a definition has the members of its kind
