// A namespace import keeps the messages in all languages out of the bundle.
import * as z from "zod";
import { POSTINGS_MAX } from "#ledger-engine/rules/limits.ts";
import { withoutNulls } from "#ledger-engine/rules/metadata.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { BigIntegerInput, MetadataSchema, TimestampInput } from "#platform/validation.ts";

// The requests by which clients change a ledger, over HTTP or through the library. Optional fields accept null for absent,
// because clients in Go send it.

const PostingRequest = z.object({
  source: z.string().nullish(),
  destination: z.string().nullish(),
  amount: BigIntegerInput.nullish(),
  asset: z.string().nullish(),
});

/** A list of postings. Their number is checked first, because each posting may add several errors. */
const PostingsRequest = z.preprocess((value, context) => {
  if (!Array.isArray(value) || value.length <= POSTINGS_MAX) return value;
  context.addIssue({ code: "custom", message: `expected at most ${POSTINGS_MAX} postings` });
  return z.NEVER;
}, z.array(PostingRequest));

/** Metadata of an account. Null stands for no metadata, because clients in Go send it for an absent map. */
export const MetadataOfAccountRequest = MetadataSchema.nullable().transform(
  (metadata): Metadata => metadata ?? {},
);

const AccountMetadataRequest = z
  .custom<Readonly<Record<string, Metadata | null>>>()
  .superRefine((value: unknown, context) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      context.addIssue({ code: "custom", message: "expected an object of metadata" });
      return;
    }
    for (const [address, metadata] of Object.entries(value)) {
      if (context.issues.length > 0) return;
      const parsed = MetadataOfAccountRequest.safeParse(metadata);
      for (const { message, path } of parsed.error?.issues ?? []) {
        context.addIssue({ code: "custom", message, path: [address, ...path] });
      }
    }
  })
  .transform(withoutNulls)
  .meta({
    type: "object",
    additionalProperties: { type: "object", additionalProperties: { type: "string" } },
  });

/** The runtime of a request. Null and an empty text stand for the runtime of the deployment. */
export const RuntimeRequest = z.enum(["", "machine", "experimental-interpreter"]).nullish();

/** Values of any type by name. `z.record` would drop a variable named `__proto__`. */
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
        plain: z.string().nullish().meta({ description: "Source text in Numscript" }),
        template: z.string().nullish().meta({
          description: "A transaction template of the schema that `schemaVersion` names",
        }),
        vars: VariablesRequest.nullish().meta({
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
  .meta({
    id: "TransactionRequest",
    example: {
      postings: [{ source: "world", destination: "users:42", amount: 1500, asset: "EUR/2" }],
      reference: "topup-7",
      metadata: { channel: "web" },
    },
  });

export const RevertRequest = z.object({ metadata: MetadataSchema.nullish() }).nullish();

const TargetRequest = z.object({
  targetType: z.string(),
  targetId: z.union([z.string(), z.int(), z.bigint()]),
});

const AddMetadataRequest = TargetRequest.extend({
  metadata: MetadataSchema.nullable(),
}).superRefine(({ targetType, metadata }, context) => {
  if (metadata !== null || targetType === "ACCOUNT") return;
  context.addIssue({ code: "custom", message: "expected an object of texts", path: ["metadata"] });
});

/** The data of a bulk's elements, by action. */
export const BulkElementData = {
  CREATE_TRANSACTION: TransactionRequest.nullable().transform((data) => data ?? {}),
  ADD_METADATA: AddMetadataRequest,
  REVERT_TRANSACTION: z.object({
    id: z.union([z.int().min(0), z.bigint()]).transform(Number),
    force: z.boolean().nullish(),
    atEffectiveDate: z.boolean().nullish(),
    metadata: MetadataSchema.nullish(),
  }),
  DELETE_METADATA: TargetRequest.extend({ key: z.string() }),
} as const;

const elementOf = <A extends keyof typeof BulkElementData>(action: A) =>
  z.object({
    action: z.literal(action),
    ik: z.string().nullish(),
    data: BulkElementData[action],
  });

export type BulkElementRequest = z.output<typeof BulkElementRequest>;
export const BulkElementRequest = z.discriminatedUnion("action", [
  elementOf("CREATE_TRANSACTION"),
  elementOf("ADD_METADATA"),
  elementOf("REVERT_TRANSACTION"),
  elementOf("DELETE_METADATA"),
]);
