import { z } from "@hono/zod-openapi";
import { ledgerErrors } from "#ledger-engine";
import { AMOUNT_DIGITS_MAX } from "#ledger-engine";
import {
  AccountResponse,
  BalancesResponse,
  LedgerParams,
  LogResponse,
  TransactionRequest,
  TransactionResponse,
  WriteIdParams,
} from "#modules/ledger/wire/schemas.ts";
import {
  BooleanParam,
  Count,
  ExpandParam,
  HistoryParams,
  ListParams,
  TimestampParam,
} from "#platform/http/index.ts";

export const TransactionParams = LedgerParams.extend({ txid: WriteIdParams.shape.id });
export const TransactionKeyParams = TransactionParams.extend({ key: z.string() });
/** Parameters of adding metadata, which answers 404 for a text that is not an id. The schema therefore accepts any text. */
export const TransactionTextParams = LedgerParams.extend({
  txid: z.string().openapi({ type: "integer", minimum: 0 }),
});

const DRY_RUN_TEXTS = new Set(["yes", "true", "1"]);

export const WriteQuery = z.object({
  preview: z
    .string()
    .optional()
    .transform((text) => text !== undefined && DRY_RUN_TEXTS.has(text.toLowerCase()))
    .openapi({
      type: "boolean",
      description: "A dry run: the answer is that of the write, but nothing is stored.",
    }),
});
export const RevertQuery = WriteQuery.extend({
  disableChecks: BooleanParam.openapi({
    description: "Whether accounts may go below zero.",
  }),
});

/** Parameters `metadata[key]=value`, one for each key. Parameters of other names are kept, because keys can be any text. */
const MetadataParams = z.looseObject({
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .openapi({
      param: { style: "deepObject", explode: true },
      description: "Metadata that the rows must have, as `metadata[key]=value`.",
    }),
});

/** Parameters of reads and counts as of a point in time. */
const ReadQuery = MetadataParams.extend(HistoryParams.shape);

/** A position in a list with descending ids. */
const AfterIdParam = z
  .string()
  .regex(/^\d{1,20}$/, "expected an unsigned integer")
  .transform(BigInt)
  .optional()
  .openapi({ type: "integer", minimum: 0, description: "Only ids below this one." });

export const TransactionFilterQuery = ReadQuery.extend({
  reference: z.string().optional(),
  account: z.string().optional().openapi({ description: "An address, or a pattern of it." }),
  source: z.string().optional(),
  destination: z.string().optional(),
  startTime: TimestampParam.openapi({ description: "Not before this date." }),
  start_time: TimestampParam.openapi({ deprecated: true }),
  endTime: TimestampParam.openapi({ description: "Before this date." }),
  end_time: TimestampParam.openapi({ deprecated: true }),
  after: AfterIdParam,
});

/** The comparisons of an account's balance with a given one. */
export const BALANCE_OPERATORS = ["e", "ne", "lt", "lte", "gt", "gte"] as const;

const INTEGER = new RegExp(String.raw`^-?\d{1,${AMOUNT_DIGITS_MAX}}$`);

export const AccountFilterQuery = ReadQuery.extend({
  address: z.string().optional().openapi({ description: "An address, or a pattern of it." }),
  balance: z.string().regex(INTEGER, "expected an integer").transform(BigInt).optional().openapi({
    type: "integer",
    format: "bigint",
    description: "The balance of any asset is compared with it, as `balanceOperator` says.",
  }),
  balanceOperator: z.enum(BALANCE_OPERATORS).optional().openapi({ default: "gte" }),
});

/** Parameters of all lists. `pagination_token` and `page_size` are the older names, for clients of the first version. */
const PageQuery = z.object({
  cursor: ListParams.shape.cursor,
  pageSize: ListParams.shape.pageSize,
  pagination_token: ListParams.shape.cursor.openapi({ deprecated: true }),
  page_size: ListParams.shape.pageSize.openapi({ deprecated: true }),
});

export const TransactionListQuery = TransactionFilterQuery.extend({
  ...PageQuery.shape,
  expand: ExpandParam,
});
export const AccountListQuery = AccountFilterQuery.extend({
  ...PageQuery.shape,
  after: z.string().optional().openapi({ description: "Only addresses after this one." }),
  expand: ExpandParam,
});
export const BalanceListQuery = AccountListQuery.omit({ expand: true });
export const LogListQuery = PageQuery.extend({
  after: AfterIdParam,
  startTime: TimestampParam.openapi({ description: "Not before this date." }),
  start_time: TimestampParam.openapi({ deprecated: true }),
  endTime: TimestampParam.openapi({ description: "Before this date." }),
  end_time: TimestampParam.openapi({ deprecated: true }),
});

export const AggregateQuery = HistoryParams.extend({
  address: AccountFilterQuery.shape.address,
  useInsertionDate: z
    .string()
    .optional()
    .transform((text) => text === undefined || BooleanParam.parse(text))
    .openapi({
      type: "boolean",
      default: true,
      description: "Whether `pit` refers to dates of insertion instead of effective dates.",
    }),
});

const { postings, script, timestamp, reference, metadata } = TransactionRequest.shape;
const ScriptRequest = script.unwrap().unwrap().pick({ plain: true, vars: true });

export const CreateRequest = z
  .object({ postings, script: ScriptRequest.nullish(), timestamp, reference, metadata })
  .openapi("TransactionRequestV1", {
    example: {
      postings: [{ source: "world", destination: "users:42", amount: 1500, asset: "EUR/2" }],
      reference: "topup-7",
    },
  });

export const BatchRequest = z.object({
  transactions: z.array(z.object({ postings, timestamp, reference, metadata })),
});

export const RunScriptRequest = ScriptRequest.extend({ reference, metadata });

export const TransactionV1Response = TransactionResponse.extend({
  txid: Count.openapi({ description: "The same as `id`." }),
}).openapi("TransactionV1");

export const ScriptResponse = z
  .object({
    errorCode: z.enum(ledgerErrors.codes).optional(),
    errorMessage: z.string().optional(),
    details: z.string().optional(),
    transaction: TransactionV1Response.optional(),
  })
  .openapi("ScriptResponse");

export const AccountV1Response = AccountResponse.extend({ balances: BalancesResponse }).openapi(
  "AccountV1",
);

/** An object whose only key is the address of an account. */
export const AccountBalancesResponse = z
  .record(z.string(), BalancesResponse)
  .openapi("AccountBalances");

export const LogV1Response = LogResponse.extend({
  type: z.enum(["NEW_TRANSACTION", "SET_METADATA"]),
}).openapi("LogV1");
