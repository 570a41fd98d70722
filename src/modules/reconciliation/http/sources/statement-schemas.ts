import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import { ReadingFields } from "./source-schemas.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import { LINE_FIELDS } from "#modules/reconciliation/core/matching/line.ts";
import { STATEMENT_FORMATS } from "#modules/reconciliation/core/statements/index.ts";
import type { FileLine } from "#modules/reconciliation/statements/line.ts";
import {
  STATEMENT_STATES,
  type StatementRefusal,
} from "#modules/reconciliation/statements/refusal.ts";
import type {
  Head,
  Preview,
  ShownHead,
  ShownStatement,
} from "#modules/reconciliation/statements/statement.ts";
import { BigInteger, Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

const Day = z.string().openapi({ format: "date", example: "2026-03-02" });
const Format = z.enum(STATEMENT_FORMATS);

const RefusalResponse = z
  .object({
    kind: z.string().openapi({
      description:
        "What is wrong: `EMPTY`, `COMPRESSED`, `UNSUPPORTED`, `LIMIT`, `ENCODING`, `FORBIDDEN`, `SYNTAX`, `MISSING`, `VALUE`, `AMOUNT`, `DATE`, `CURRENCY`, `BALANCE`, `CONTROL_TOTAL`, `MAPPING`, `ACCOUNT`, `EXISTS` or `OVERLAP`.",
    }),
    message: z.string(),
    line: Count.optional().openapi({ description: "Where the field at fault begins, from 1." }),
    column: Count.optional().openapi({ description: "From 1, in UTF-16 code units." }),
    byte: Count.optional().openapi({ description: "From 0." }),
  })
  .openapi("StatementRefusal", {
    example: {
      kind: "AMOUNT",
      message: 'The amount "12,3,4" is no number.',
      line: 7,
      column: 15,
      byte: 212,
    },
  });

export const toRefusalView = (refusal: StatementRefusal): z.input<typeof RefusalResponse> => ({
  ...refusal,
});

const HeadResponse = z
  .object({
    name: z.string().optional().openapi({ description: "The bank's name of the statement." }),
    account: z.string().optional(),
    asset: z.string().optional().openapi({ description: "Absent for several currencies." }),
    from: Day.optional(),
    to: Day.optional(),
    opening: BigInteger.optional(),
    closing: BigInteger.optional(),
    lines: Count,
    pending: Count.openapi({ description: "Entries that are not booked, which are no lines." }),
    totals: z.record(z.string(), BigInteger).openapi({ description: "Sums of lines by asset." }),
    balanced: z.boolean().openapi({
      description: "Whether both balances are there. Balances that do not agree are refused.",
    }),
    gap: z
      .object({ statementID: z.string().openapi({ format: "uuid" }), closing: BigInteger })
      .optional()
      .openapi({
        description:
          "The statement before, whose closing balance is not this opening balance: one between them is missing.",
      }),
  })
  .openapi("StatementHead");

const toHeadView = (
  head: Head & Partial<Pick<ShownHead, "gap">>,
): z.input<typeof HeadResponse> => ({
  name: head.name,
  account: head.account,
  asset: head.asset,
  from: head.from,
  to: head.to,
  opening: head.opening,
  closing: head.closing,
  lines: head.lines,
  pending: head.pending,
  totals: { ...head.totals },
  balanced: head.balanced,
  gap: head.gap,
});

export const StatementResponse = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    sourceID: z.string().openapi({ format: "uuid" }),
    state: z.enum(STATEMENT_STATES),
    fileName: z.string().optional(),
    bytes: Count,
    sha256: z.string(),
    format: Format.optional(),
    uploadedAt: TimestampOutput,
    uploadedBy: z.string().openapi({ description: "The subject of the token." }),
    endedAt: TimestampOutput.optional(),
    lines: Count,
    pending: Count,
    refusal: RefusalResponse.optional(),
    heads: z.array(HeadResponse).openapi({
      description: "What each statement in the file says of itself; in lists, of the first ten.",
    }),
  })
  .openapi("Statement");

export const toStatementView = ({
  statement,
  heads,
}: ShownStatement): z.input<typeof StatementResponse> => ({
  id: statement.id,
  sourceID: statement.sourceId,
  state: statement.state,
  fileName: statement.fileName,
  bytes: statement.bytes,
  sha256: statement.sha256,
  format: statement.format,
  uploadedAt: formatTimestamp(statement.uploadedAt),
  uploadedBy: statement.uploadedBy,
  ...optionalTimestamp("endedAt", statement.endedAt),
  lines: statement.lines,
  pending: statement.pending,
  refusal: statement.refusal,
  heads: heads.map(toHeadView),
});

export const FileLineResponse = z
  .object({
    id: z.string().openapi({ description: "Unique in the source; what matchings call the line." }),
    statementID: z.string().openapi({ format: "uuid" }),
    date: Day,
    valueDate: Day.optional(),
    amount: BigInteger.openapi({ description: "Positive for what the account received." }),
    asset: z.string(),
    fee: BigInteger.optional().openapi({ description: "What the provider kept: gross − amount." }),
    texts: z
      .partialRecord(z.enum(LINE_FIELDS), z.string())
      .openapi({ type: "object", description: "References, free text and counterparty." }),
    category: z.string().optional(),
    fileLine: Count.openapi({ description: "The line of the file at which it begins, from 1." }),
    raw: z.string(),
  })
  .openapi("StatementLine");

export const toLineView = (line: FileLine): z.input<typeof FileLineResponse> => ({
  id: line.key.toString(),
  statementID: line.statementID,
  date: dateOf(line.day),
  valueDate: line.valueDate,
  amount: line.amount,
  asset: line.asset,
  fee: line.fee,
  texts: { ...line.texts },
  category: line.category,
  fileLine: line.fileLine,
  raw: line.raw,
});

/** Largest content of a preview, in bytes. */
export const PREVIEW_BYTES_MAX = 256 * 1024;

export const PreviewRequest = z
  .strictObject({
    ...ReadingFields,
    content: z
      .base64()
      .max(Math.ceil(PREVIEW_BYTES_MAX / 3) * 4)
      .openapi({ description: "The file in base64; at most 256 KiB of it." }),
    isPartial: z.boolean().default(false).openapi({
      description: "Whether the content is the beginning of a longer file, whose end is no error.",
    }),
  })
  .openapi("StatementPreviewRequest", {
    example: { content: "eyJzdGF0ZW1lbnQiOnt9fQo=", format: "json-lines" },
  });

/** The bytes of a preview's content. */
export const toContent = ({ content }: z.output<typeof PreviewRequest>): Uint8Array =>
  Buffer.from(content, "base64");

export const PreviewResponse = z
  .object({
    formats: z.array(Format).openapi({ description: "Those that the file may have." }),
    format: Format.optional().openapi({ description: "The one in which it was read." }),
    heads: z.array(HeadResponse),
    lines: z.array(FileLineResponse.omit({ id: true, statementID: true })),
    linesRead: Count,
    refusal: RefusalResponse.optional(),
  })
  .openapi("StatementPreview");

export const toPreviewView = (preview: Preview): z.input<typeof PreviewResponse> => ({
  formats: [...preview.formats],
  format: preview.format,
  heads: preview.heads.map(toHeadView),
  lines: preview.lines.map((line) => {
    const { id: _id, statementID: _statementID, ...shown } = toLineView(line);
    return shown;
  }),
  linesRead: preview.linesRead,
  refusal: preview.refusal,
});
