export {
  BulkElementRequest,
  RevertRequest,
  RuntimeRequest,
  TransactionRequest,
} from "#ledger-engine";
import { z } from "@hono/zod-openapi";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "#ledger-engine";
import {
  ExpandParam,
  FilterParams,
  HistoryParams,
  ListParams,
  TimestampParam,
} from "#platform/http/listing.ts";
import {
  BigInteger,
  BooleanParam,
  Count,
  MetadataSchema,
  TimestampOutput,
} from "#platform/http/schemas.ts";
import { LOCATIONS } from "#platform/objects/location.ts";

// Optional fields of requests take null for "not given", as the Go clients write it.

export const LedgerParams = z.object({ ledger: z.string() });
export const AddressParams = LedgerParams.extend({ address: z.string() });
export const AddressKeyParams = AddressParams.extend({ key: z.string() });

/** Largest ids that reads and writes know, as in the reference server; stored ids stay below 2^53. */
const READ_ID_MAX = 2n ** 63n - 1n;
const WRITE_ID_MAX = 2n ** 64n - 1n;

/** An id in a path. An id above 2^53 is rounded, and belongs to no stored row. */
const idParam = (max: bigint) =>
  z
    .string()
    .regex(/^-?\d{1,20}$/, "expected an integer")
    .refine((text) => !/^-?\d+$/.test(text) || BigInt(text) <= max, "expected a 64-bit integer")
    .transform(Number)
    .openapi({ type: "integer", minimum: 0 });

export const IdParams = LedgerParams.extend({ id: idParam(READ_ID_MAX) });
/** Parameters of writes, which refuse a negative id. A read with a negative id finds nothing. */
export const WriteIdParams = LedgerParams.extend({
  id: idParam(WRITE_ID_MAX).refine((id) => id >= 0, "expected an integer of 0 or more"),
});
export const WriteIdKeyParams = WriteIdParams.extend({ key: z.string() });

/** The filter language; see `platform/filter/filter.ts`. */
export const FilterBody = z.unknown().optional().openapi({
  type: "object",
  description:
    "A filter; empty for none. A test of what a row does not have is neither true nor false, and so is its negation: `$not` of a test of `reference` or `reverted_at` finds only transactions that have one, and `$not` of a test of `balance[ASSET]` only accounts that have moved the asset. In a list of volumes, a row of another asset than `ASSET` fails the test, so that `$not` finds it. Metadata differ: a row without the key does not match, and `$not` finds it.",
});

/** Parameters of a count, which are those of a list without its pages. */
export const CountQuery = HistoryParams.extend(FilterParams.shape);
const ListQuery = ListParams.extend(CountQuery.shape);
export const AccountListQuery = ListQuery.extend({ expand: ExpandParam });
export const LogListQuery = ListQuery;
export const LedgerListQuery = ListQuery.extend({ includeDeleted: BooleanParam });
export const TransactionListQuery = AccountListQuery.extend({
  order: z
    .string()
    .optional()
    .openapi({
      enum: ["effective"],
      deprecated: true,
      description: "Use `sort=timestamp` instead. Other values than `effective` change nothing.",
    }),
  reverse: BooleanParam,
});
/** A negative `groupBy` stands for none. */
const GroupByParam = z
  .string()
  .regex(/^-?\d{1,10}$/, "expected an integer")
  .transform(Number)
  .optional()
  .transform((count) => count ?? 0);

export const VolumeListQuery = ListQuery.extend({
  startTime: TimestampParam.openapi({ description: "The start of the period; `oot` if absent." }),
  endTime: TimestampParam.openapi({ description: "The end of the period; `pit` if absent." }),
  insertionDate: BooleanParam.openapi({
    description: "Whether the period refers to dates of insertion instead of effective dates.",
  }),
  groupBy: GroupByParam.openapi({
    type: "integer",
    default: 0,
    description:
      "Addresses are cut to this number of segments, and the volumes of equal ones are summed. 0 means no grouping.",
  }),
});

export const BalancesQuery = CountQuery.extend({
  useInsertionDate: BooleanParam.openapi({
    description: "Whether `pit` refers to dates of insertion instead of effective dates.",
  }),
  use_insertion_date: BooleanParam.openapi({ deprecated: true }),
});

export const COUNTED = {
  description: "Counted",
  headers: z.object({ Count: Count }),
};

/** Parameters of a single read. Of the parameters of the past, only `pit` has an effect. */
export const SingleQuery = HistoryParams.extend({ expand: ExpandParam });

/** The header by which a write happens once, however often it is sent. `writeOptions` checks the length. */
export const WriteHeaders = z.object({
  "Idempotency-Key": z.string().optional().openapi({
    maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
    description:
      "A name of your own for this write. A second request with the same key changes nothing and gets the first answer again, with the header `Idempotency-Hit: true`. The same key with other content is refused with 400.",
  }),
});

/** The version of the schema for a write or a query; empty for none. */
export const SchemaVersionParam = z
  .string()
  .optional()
  .transform((version) => version ?? "")
  .openapi({ type: "string", description: "The version of the schema whose rules apply." });

export const WriteQuery = z.object({
  dryRun: BooleanParam.openapi({
    description: "The answer is that of the write, but nothing is stored.",
  }),
  schemaVersion: SchemaVersionParam,
});
export const CreateQuery = WriteQuery.extend({
  force: BooleanParam.openapi({ description: "Whether accounts may go below zero." }),
});
export const RevertQuery = CreateQuery.extend({
  atEffectiveDate: BooleanParam.openapi({
    description: "Whether the revert gets the effective date of the reverted transaction.",
  }),
});
export const SchemaParams = LedgerParams.extend({ version: z.string() });
/** Parameters of the list of schemas. `order` is the older parameter for the direction; other values change nothing. */
export const SchemaListQuery = ListQuery.extend({
  order: z
    .string()
    .optional()
    .openapi({ enum: ["asc", "desc"] }),
});
export const QueryParams = LedgerParams.extend({ id: z.string() });
export const QueryRunQuery = z.object({ schemaVersion: SchemaVersionParam });

const ObjectRequest = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected an object",
  )
  .openapi({ type: "object", additionalProperties: {} });

/** The body of a run of a query template. Its members are checked where they are used; unknown members of `params` are ignored. */
export const QueryRunRequest = z
  .object({
    vars: ObjectRequest.nullish(),
    params: ObjectRequest.nullish(),
    cursor: z.string().nullish(),
  })
  .openapi("QueryRun");

/** A schema to insert, which is checked where it is decoded. */
export const SchemaRequest = z
  .custom<unknown>((value) => value !== undefined)
  .openapi("SchemaData", {
    type: "object",
    required: ["chart"],
    properties: {
      chart: { type: "object", description: "Accounts by the segments of their addresses." },
      transactions: { type: "object", description: "Scripts by their names." },
      queries: { type: "object", description: "Lists with variables by their ids." },
    },
    example: {
      chart: {
        world: {},
        users: {
          $id: { ".pattern": "^[0-9]+$", main: { ".metadata": { tier: { default: "basic" } } } },
        },
      },
      transactions: {
        deposit: {
          description: "Money in",
          script:
            "vars {\n  monetary $amount\n  account $to\n}\nsend $amount (\n  source = @world\n  destination = $to\n)",
        },
      },
    },
  });

/** Headers of a request that creates a ledger. */
export const CreateLedgerHeaders = z.object({
  "X-Florin-Location": z
    .enum(LOCATIONS, { error: `expected one of ${LOCATIONS.join(", ")}` })
    .optional()
    .openapi({
      description:
        "Where the platform shall keep the ledger: near those who write to it most. It is a hint, which counts for the first request that names the ledger. By default, the platform takes a place near the client that creates the ledger.",
    }),
});

export const CreateLedgerRequest = z
  .object({
    bucket: z.string().nullish(),
    metadata: MetadataSchema.nullish(),
    features: MetadataSchema.nullish(),
  })
  .nullish();

export const LedgerResponse = z
  .object({
    bucket: z.string(),
    metadata: MetadataSchema,
    features: z.record(z.string(), z.string()),
    id: Count,
    name: z.string(),
    location: z.enum(LOCATIONS).optional().openapi({
      description: "The location hint of the ledger; absent where the client gave none",
    }),
    addedAt: TimestampOutput,
    deletedAt: TimestampOutput.optional(),
  })
  .openapi("Ledger");

export const LedgerInfoResponse = z
  .object({
    name: z.string(),
    storage: z.object({
      migrations: z.array(
        z.object({
          version: z.string(),
          name: z.string(),
          state: z.enum(["DONE", "PROGRESS", "TO DO"]),
        }),
      ),
    }),
  })
  .openapi("LedgerStorageInfo");

export const StatsResponse = z
  .object({ transactions: Count, accounts: Count })
  .openapi("LedgerStats");

const VolumeResponse = z
  .object({ input: BigInteger, output: BigInteger, balance: BigInteger })
  .openapi("Volume");
const VolumesResponse = z.record(z.string(), VolumeResponse).openapi("Volumes");
const VolumeMapResponse = z.record(z.string(), VolumesResponse).openapi("AggregatedVolumes");

export const TransactionResponse = z
  .object({
    postings: z.array(
      z.object({
        source: z.string(),
        destination: z.string(),
        amount: BigInteger,
        asset: z.string(),
      }),
    ),
    metadata: MetadataSchema,
    timestamp: TimestampOutput,
    reference: z.string().optional(),
    id: Count,
    insertedAt: TimestampOutput,
    updatedAt: TimestampOutput,
    revertedAt: TimestampOutput.optional(),
    postCommitVolumes: VolumeMapResponse.optional(),
    postCommitEffectiveVolumes: VolumeMapResponse.optional(),
    template: z
      .string()
      .optional()
      .openapi({ description: "The template of the schema that made the transaction." }),
    reverted: z.boolean(),
    preCommitVolumes: VolumeMapResponse.optional(),
    preCommitEffectiveVolumes: VolumeMapResponse.optional(),
  })
  .openapi("Transaction");

export const BalanceIntervalResponse = z
  .object({
    startTime: TimestampOutput,
    endTime: TimestampOutput,
    input: BigInteger,
    output: BigInteger,
    balance: BigInteger,
  })
  .openapi("BalanceInterval");

export const AccountResponse = z
  .object({
    address: z.string(),
    metadata: MetadataSchema,
    firstUsage: TimestampOutput,
    insertionDate: TimestampOutput,
    updatedAt: TimestampOutput,
    volumes: VolumesResponse.optional(),
    effectiveVolumes: VolumesResponse.optional(),
  })
  .openapi("Account");

export const VolumeRowResponse = z
  .object({
    account: z.string(),
    asset: z.string(),
    input: BigInteger,
    output: BigInteger,
    balance: BigInteger,
  })
  .openapi("VolumesWithBalance");

export const BalancesResponse = z.record(z.string(), BigInteger).openapi("AggregatedBalances");

const TargetResponse = z.object({
  targetType: z.enum(["ACCOUNT", "TRANSACTION"]),
  targetId: z.union([z.string(), Count]),
});

/** A schema in an answer. `SchemaRequest` describes its members. */
export const SchemaResponse = z
  .object({
    chart: z.record(z.string(), z.unknown()),
    transactions: z.record(z.string(), z.unknown()).optional(),
    queries: z.record(z.string(), z.unknown()).optional(),
    version: z.string(),
    createdAt: TimestampOutput,
  })
  .openapi("Schema");

const LoggedMetadata = MetadataSchema.nullable().openapi({
  description: "Null only in an entry that was imported with null, which stands for no metadata.",
});

/** The data of a log entry, by its type. */
const LogDataResponse = z.union([
  z.object({
    transaction: TransactionResponse,
    accountMetadata: z.record(z.string(), LoggedMetadata),
  }),
  z.object({ revertedTransaction: TransactionResponse, transaction: TransactionResponse }),
  TargetResponse.extend({ metadata: LoggedMetadata }),
  TargetResponse.extend({ key: z.string() }),
  z.object({ schema: SchemaResponse }),
]);

export const LogResponse = z
  .object({
    type: z.enum([
      "NEW_TRANSACTION",
      "REVERTED_TRANSACTION",
      "SET_METADATA",
      "DELETE_METADATA",
      "INSERTED_SCHEMA",
    ]),
    data: LogDataResponse,
    date: TimestampOutput,
    idempotencyKey: z.string(),
    idempotencyHash: z.string(),
    id: Count,
    hash: z.string().openapi({ description: "Empty if the ledger does not hash its log." }),
    schemaVersion: z
      .string()
      .optional()
      .openapi({ description: "The schema that the write named." }),
  })
  .openapi("Log");

export const InfoResponse = z
  .object({
    data: z.object({
      server: z.string(),
      version: z.string(),
      config: z.object({
        storage: z.object({ driver: z.string(), ledgers: z.array(z.string()) }),
        schemaEnforcementMode: z.string(),
      }),
      experimentalFeatures: z.array(z.string()),
    }),
  })
  .openapi("LedgerInfo");

export const ServerResponse = z.object({ server: z.string(), version: z.string() });
export const HealthResponse = z.record(z.string(), z.string());
