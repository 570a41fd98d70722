import { z } from "@hono/zod-openapi";
import { resumePipelinesOf } from "#modules/exporters/index.ts";
import { BucketService, type ListedBucket } from "#modules/ledger/buckets/service.ts";
import {
  Count,
  deploymentOf,
  ListParams,
  type ListRules,
  ok,
  operations,
  registration,
  TimestampOutput,
  toPageQuery,
} from "#platform/http/index.ts";
import { optionalTimestamp } from "#platform/time.ts";

const BucketParams = z.object({ bucket: z.string() });

const BucketResponse = z
  .object({
    name: z.string(),
    ledgers: Count.openapi({ description: "Its ledgers, without the deleted ones" }),
    deletedLedgers: Count.openapi({ description: "Deleted ledgers that can be restored" }),
    deletedAt: TimestampOutput.optional().openapi({
      description: "The earliest date of deletion among the deleted ledgers",
    }),
    purgeAt: TimestampOutput.optional().openapi({ description: "When that ledger is purged" }),
  })
  .openapi("Bucket");

const LIST_RULES: ListRules = {
  list: "buckets",
  columns: { name: "text" },
  column: "name",
  order: "asc",
};

const toBucketView = (bucket: ListedBucket): z.input<typeof BucketResponse> => ({
  name: bucket.name,
  ledgers: bucket.ledgers,
  deletedLedgers: bucket.deletedLedgers,
  ...optionalTimestamp("deletedAt", bucket.deletedAt),
  ...optionalTimestamp("purgeAt", bucket.purgeAt),
});

const buckets = operations({ tags: ["Buckets"], scope: "ledger" });

export const registerBuckets = registration(
  buckets.delete("/v2/_/buckets/{bucket}", {
    operationId: "v2DeleteBucket",
    summary: "Delete the ledgers of a bucket",
    description:
      "The ledgers are no longer found, and their names stay taken. They can be restored until they are purged, when the deployment's retention is over.",
    params: BucketParams,
    answer: ok.empty("Deleted"),
    handle: ({ params, context }) => BucketService.from(context).deleteBucket(params.bucket),
  }),
  buckets.post("/v2/_/buckets/{bucket}/restore", {
    operationId: "v2RestoreBucket",
    summary: "Restore the deleted ledgers of a bucket",
    description:
      "The data of the ledgers is as it was. Ledgers whose purge has begun stay deleted, and ledgers that were created in the bucket meanwhile are not changed.",
    params: BucketParams,
    answer: ok.empty("Restored"),
    handle: async ({ params, context }) => {
      await BucketService.from(context).restoreBucket(params.bucket);
      await resumePipelinesOf(context, params.bucket);
    },
  }),
);

/** Registers Florin's own route of buckets, below `/api/florin/v1`. */
export const registerBucketList = registration(
  buckets.get("/buckets", {
    operationId: "florinListBuckets",
    summary: "List the buckets that have ledgers",
    query: ListParams,
    answer: ok.page("A page of buckets", BucketResponse, toBucketView),
    handle: ({ query, context, c }) => {
      const wanted = toPageQuery(query, LIST_RULES, deploymentOf(c).settings);
      return BucketService.from(context).listBuckets(wanted);
    },
  }),
);
