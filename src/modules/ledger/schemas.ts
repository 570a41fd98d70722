import { z } from "@hono/zod-openapi";
import { ERROR_CODES } from "../../platform/errors.ts";
import { ExpandParam, ListParams } from "../../platform/http/listing.ts";
import {
  BigInteger,
  BigIntegerInput,
  BooleanParam,
  Count,
  MetadataSchema,
  TimestampInput,
  TimestampOutput,
} from "../../platform/http/schemas.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, POSTINGS_MAX } from "./core/limits.ts";
import type { AccountMetadata } from "./core/types.ts";

// Optional fields of requests take null for "not given", as the Go clients write it.

export const LedgerParams = z.object({ ledger: z.string() });
export const AddressParams = LedgerParams.extend({ address: z.string() });
export const AddressKeyParams = AddressParams.extend({ key: z.string() });

/** Largest id that the wire knows; stored ids stay below 2^53. */
const ID_MAX = 9_223_372_036_854_775_807n;

/** An id in a path. Above 2^53 it is rounded, which no stored id is. */
const IdParam = z
  .string()
  .regex(/^-?\d{1,20}$/, "expected an integer")
  .refine((text) => !/^-?\d+$/.test(text) || BigInt(text) <= ID_MAX, "expected a 64-bit integer")
  .transform(Number)
  .openapi({ type: "integer", minimum: 0 });

export const IdParams = LedgerParams.extend({ id: IdParam });
/** For writes: a negative id is no id, where a read of one finds nothing. */
export const WriteIdParams = LedgerParams.extend({
  id: IdParam.refine((id) => id >= 0, "expected an integer of 0 or more"),
});
export const WriteIdKeyParams = WriteIdParams.extend({ key: z.string() });

/** The filter language; see `platform/query.ts`. */
export const FilterBody = z
  .unknown()
  .optional()
  .openapi({ type: "object", description: "A filter; empty for none." });

export const LedgerListQuery = ListParams.extend({
  query: z.string().optional().openapi({ description: "A filter as JSON." }),
});
export const AccountListQuery = LedgerListQuery.extend({ expand: ExpandParam });
export const TransactionListQuery = AccountListQuery.extend({
  order: z
    .string()
    .optional()
    .openapi({
      enum: ["effective"],
      deprecated: true,
      description: "Use `sort=timestamp`; other values change nothing.",
    }),
  reverse: BooleanParam,
});
export const ExpandQuery = z.object({ expand: ExpandParam });

export const WriteQuery = z.object({ dryRun: BooleanParam });
export const CreateQuery = WriteQuery.extend({ force: BooleanParam });
export const RevertQuery = WriteQuery.extend({
  force: BooleanParam,
  atEffectiveDate: BooleanParam,
});
export const BulkQuery = z.object({
  atomic: BooleanParam,
  continueOnFailure: BooleanParam,
  parallel: BooleanParam,
});

export const CreateLedgerRequest = z
  .object({
    bucket: z.string().nullish(),
    metadata: MetadataSchema.nullish(),
    features: MetadataSchema.nullish(),
  })
  .nullish();

const PostingRequest = z.object({
  source: z.string().nullish(),
  destination: z.string().nullish(),
  amount: BigIntegerInput.nullish(),
  asset: z.string().nullish(),
});

/** The number is checked before the items, each of which may have faults to tell. */
const PostingsRequest = z.preprocess((value, context) => {
  if (!Array.isArray(value) || value.length <= POSTINGS_MAX) return value;
  context.addIssue({ code: "custom", message: `expected at most ${POSTINGS_MAX} postings` });
  return z.NEVER;
}, z.array(PostingRequest));

const AccountMetadataRequest = z
  .custom<AccountMetadata>()
  .superRefine((value: unknown, context) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      context.addIssue({ code: "custom", message: "expected an object of metadata" });
      return;
    }
    for (const [address, metadata] of Object.entries(value)) {
      if (context.issues.length > 0) return;
      const parsed = MetadataSchema.safeParse(metadata);
      for (const { message, path } of parsed.error?.issues ?? []) {
        context.addIssue({ code: "custom", message, path: [address, ...path] });
      }
    }
  })
  .openapi({
    type: "object",
    additionalProperties: { type: "object", additionalProperties: { type: "string" } },
  });

/** Empty and null stand for the runtime of the deployment. */
export const RuntimeRequest = z.enum(["", "machine", "experimental-interpreter"]).nullish();

/** Values of any kind by name; `z.record` would drop a variable of the name `__proto__`. */
const VariablesRequest = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);

export type TransactionRequest = z.output<typeof TransactionRequest>;
export const TransactionRequest = z
  .object({
    postings: PostingsRequest.nullish(),
    script: z
      .object({
        plain: z.string().nullish().openapi({ description: "Source text in Numscript" }),
        template: z.string().nullish().openapi({ description: "Not supported by this version" }),
        vars: VariablesRequest.nullish().openapi({
          type: "object",
          description:
            "Variables by name: texts (`USD/2 100`, `users:1`, `1/3`), numbers, or amounts as `{asset, amount}`",
          additionalProperties: {},
        }),
      })
      .nullish(),
    timestamp: TimestampInput.nullish(),
    reference: z.string().nullish(),
    metadata: MetadataSchema.nullish(),
    accountMetadata: AccountMetadataRequest.nullish(),
    runtime: RuntimeRequest,
    force: z.boolean().nullish(),
  })
  .openapi("TransactionRequest", {
    example: {
      postings: [{ source: "world", destination: "users:42", amount: 1500, asset: "EUR/2" }],
      reference: "topup-7",
      metadata: { channel: "web" },
    },
  });

export const RevertRequest = z.object({ metadata: MetadataSchema.nullish() }).nullish();

/** The elements are parsed one by one, so that their number is known first. */
export const BulkRequest = z
  .array(z.unknown())
  .nullable()
  .openapi({
    type: "array",
    items: {
      type: "object",
      required: ["action", "data"],
      properties: {
        action: {
          type: "string",
          enum: ["CREATE_TRANSACTION", "ADD_METADATA", "REVERT_TRANSACTION", "DELETE_METADATA"],
        },
        ik: { type: "string", maxLength: IDEMPOTENCY_KEY_LENGTH_MAX },
        data: { type: "object" },
      },
    },
  });

const IdempotencyKey = z.string().nullish();
const TargetRequest = z.object({
  targetType: z.string(),
  targetId: z.union([z.string(), z.int(), z.bigint()]),
});

export type BulkElementRequest = z.output<typeof BulkElementRequest>;
export const BulkElementRequest = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("CREATE_TRANSACTION"),
    ik: IdempotencyKey,
    data: TransactionRequest.nullable().transform((data) => data ?? {}),
  }),
  z.object({
    action: z.literal("ADD_METADATA"),
    ik: IdempotencyKey,
    data: TargetRequest.extend({ metadata: MetadataSchema }),
  }),
  z.object({
    action: z.literal("REVERT_TRANSACTION"),
    ik: IdempotencyKey,
    data: z.object({
      id: z.union([z.int().min(0), z.bigint()]).transform(Number),
      force: z.boolean().nullish(),
      atEffectiveDate: z.boolean().nullish(),
      metadata: MetadataSchema.nullish(),
    }),
  }),
  z.object({
    action: z.literal("DELETE_METADATA"),
    ik: IdempotencyKey,
    data: TargetRequest.extend({ key: z.string() }),
  }),
]);

export const LedgerResponse = z
  .object({
    bucket: z.string(),
    metadata: MetadataSchema,
    features: z.record(z.string(), z.string()),
    id: Count,
    name: z.string(),
    addedAt: TimestampOutput,
    deletedAt: TimestampOutput.optional(),
  })
  .openapi("Ledger");

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
    reverted: z.boolean(),
    preCommitVolumes: VolumeMapResponse.optional(),
    preCommitEffectiveVolumes: VolumeMapResponse.optional(),
  })
  .openapi("Transaction");

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

export const BulkResultResponse = z
  .object({
    errorCode: z.enum(ERROR_CODES).optional(),
    errorDescription: z.string().optional(),
    data: TransactionResponse.optional(),
    responseType: z.string(),
    logID: Count,
  })
  .openapi("BulkResult");

export const BulkResponse = z
  .object({
    data: z.array(BulkResultResponse),
    errorCode: z.enum(ERROR_CODES).optional(),
    errorMessage: z.string().optional(),
  })
  .openapi("BulkResponse");

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
