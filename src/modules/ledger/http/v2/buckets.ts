import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { resumePipelinesOf } from "#modules/exporters/index.ts";
import { BucketService, type ListedBucket } from "#modules/ledger/buckets/service.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, json } from "#platform/http/endpoint.ts";
import { ListParams, type ListRules, toPageQuery } from "#platform/http/listing.ts";
import { Count, cursorOf, TimestampOutput, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";
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

export function registerBuckets(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "delete",
      path: "/v2/_/buckets/{bucket}",
      operationId: "v2DeleteBucket",
      summary: "Delete the ledgers of a bucket",
      description:
        "The ledgers are no longer found, and their names stay taken. They can be restored until they are purged, when the deployment's retention is over.",
      tags: ["Buckets"],
      scope: "ledger:write",
      params: BucketParams,
      responses: { 204: empty("Deleted") },
    },
    async ({ params, c }) => {
      await BucketService.from(c.get("context")).deleteBucket(params.bucket);
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/_/buckets/{bucket}/restore",
      operationId: "v2RestoreBucket",
      summary: "Restore the deleted ledgers of a bucket",
      description:
        "The data of the ledgers is as it was. Ledgers whose purge has begun stay deleted, and ledgers that were created in the bucket meanwhile are not changed.",
      tags: ["Buckets"],
      scope: "ledger:write",
      params: BucketParams,
      responses: { 204: empty("Restored") },
    },
    async ({ params, c }) => {
      await BucketService.from(c.get("context")).restoreBucket(params.bucket);
      await resumePipelinesOf(c.get("context"), params.bucket);
      return { status: 204 };
    },
  );
}

/** Registers Florin's own route of buckets, below `/api/florin/v1`. */
export function registerBucketList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/buckets",
      operationId: "florinListBuckets",
      summary: "List the buckets that have ledgers",
      tags: ["Buckets"],
      scope: "ledger:read",
      query: ListParams,
      responses: { 200: json("A page of buckets", cursorOf(BucketResponse)) },
    },
    async ({ query, c }) => {
      const wanted = toPageQuery(query, LIST_RULES, deploymentOf(c).settings);
      const page = await BucketService.from(c.get("context")).listBuckets(wanted);
      return { status: 200, body: toCursorView(mapPage(page, toBucketView)) };
    },
  );
}

const toBucketView = (bucket: ListedBucket): z.input<typeof BucketResponse> => ({
  name: bucket.name,
  ledgers: bucket.ledgers,
  deletedLedgers: bucket.deletedLedgers,
  ...optionalTimestamp("deletedAt", bucket.deletedAt),
  ...optionalTimestamp("purgeAt", bucket.purgeAt),
});
