import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Count, ok, operations, PageSize, TimestampOutput } from "#platform/http/index.ts";
import { DATABASE, limitOf } from "#platform/storage/sizes.ts";
import { boundRows, readUses, type StorageUse } from "#platform/storage/usage.ts";
import { formatTimestamp, fromMillis, toMillis } from "#platform/time.ts";

/** Tables and objects that are shown, unless the request says how many, and most of them. */
const TOP = 20;
const TOP_MAX = 100;
/** The latest time at which storage is said to be full, in milliseconds since the epoch: the year 2200. */
const LAST_FULL_MS = 7_258_118_400_000;

const Use = {
  bytes: Count,
  limitBytes: Count.openapi({
    description: "The limit of Cloudflare; under `npm start`, the disk is the limit",
  }),
  growthPerDay: z.int().optional().openapi({
    description: "In bytes a day; absent as long as the growth is not known",
  }),
  fullAt: TimestampOutput.optional().openapi({
    description: "When it is full at the present rate; absent if it does not grow",
  }),
};

const StorageResponse = z
  .object({
    database: z.object({
      ...Use,
      tables: z
        .array(
          z.object({
            name: z.string(),
            rowsAtMost: Count.openapi({
              description:
                "The distance between the first and the last row id: deleted rows in between count",
            }),
          }),
        )
        .openapi({ description: "The tables with the most rows" }),
    }),
    objects: z
      .array(
        z.object({
          name: z.string().openapi({
            description: "Kind and name: `ledger/main`, `search/0`",
          }),
          ...Use,
          measuredAt: TimestampOutput,
        }),
      )
      .openapi({
        description:
          "The largest objects of 1 MB or more. Each measures itself after writes: from 500 MB on every ten minutes, below when it has grown by a quarter or changed for a day.",
      }),
  })
  .openapi("StorageUse", {
    example: {
      database: {
        bytes: 48_000_000,
        limitBytes: 10_000_000_000,
        growthPerDay: 1_200_000,
        fullAt: "2049-01-01T00:00:00Z",
        tables: [{ name: "payments", rowsAtMost: 120_000 }],
      },
      objects: [
        {
          name: "ledger/shop",
          bytes: 730_000_000,
          limitBytes: 10_000_000_000,
          growthPerDay: 9_000_000,
          fullAt: "2028-12-01T00:00:00Z",
          measuredAt: "2026-03-01T09:30:00Z",
        },
      ],
    },
  });

const useView = ({ bytes, limitBytes, growthPerDay, fullMs }: StorageUse) => ({
  bytes,
  limitBytes,
  ...(growthPerDay === undefined ? {} : { growthPerDay }),
  ...(fullMs === undefined || fullMs > LAST_FULL_MS
    ? {}
    : { fullAt: formatTimestamp(fromMillis(Math.round(fullMs))) }),
});

async function readStorage(
  { env, clock }: ServiceContext,
  { tables, top }: { readonly tables: readonly SQLiteTable[]; readonly top: number },
): Promise<z.input<typeof StorageResponse>> {
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  const [{ database, objects }, rows, { meta }] = await Promise.all([
    readUses(db, nowMs, top),
    boundRows(db, tables),
    // Each answer of D1 has the size of the database.
    db.run(sql`SELECT 1`),
  ]);
  const known = database === undefined ? { limitBytes: limitOf(DATABASE) } : useView(database);
  return {
    database: {
      ...known,
      bytes: meta.size_after,
      tables: rows.slice(0, top).map(({ name, rows: rowsAtMost }) => ({ name, rowsAtMost })),
    },
    objects: objects.map((use) => ({
      name: use.name,
      ...useView(use),
      measuredAt: formatTimestamp(fromMillis(use.measuredMs)),
    })),
  };
}

const group = operations({ path: "/api/florin/v1/storage", tags: ["Storage"], scope: "florin" });

/** The operation that shows the use of storage. */
export const storageRoutes = (tables: readonly SQLiteTable[]) =>
  group.get("", {
    scope: "florin:operate",
    operationId: "florinReadStorage",
    summary: "Show how much storage is used, and when it will be full",
    query: z.object({
      top: PageSize.refine((top) => top <= TOP_MAX, `expected at most ${TOP_MAX}`)
        .default(TOP)
        .openapi({
          type: "integer",
          description: "How many tables and objects are shown",
          minimum: 0,
          maximum: TOP_MAX,
          default: TOP,
        }),
    }),
    answer: ok.data("The use of storage", StorageResponse),
    handle: ({ context, query: { top } }) => readStorage(context, { tables, top }),
  });
