import { z } from "@hono/zod-openapi";
import { KIND_NAMES } from "#modules/search/core/kinds.ts";
import type { SearchRequest } from "#modules/search/query/search.ts";
import { TimestampOutput } from "#platform/http/index.ts";

const TERMS_MAX = 20;
const TERM_LENGTH_MAX = 1000;
const LEDGERS_MAX = 100;
const PAGE_SIZE_MAX = 100;
const PAGE_SIZE = 5;
const CURSOR_LENGTH_MAX = 65_536;

const Text = z.string().max(TERM_LENGTH_MAX);
const texts = (max: number) => z.array(Text).max(max);

/** A text that counts as absent where it is empty or null. */
const optional = (max: number) =>
  z
    .string()
    .max(max)
    .nullish()
    .transform((text) => (text === null || text === "" ? undefined : text));

/** A list that counts as absent where it is empty or null. */
const optionalList = (max: number) =>
  texts(max)
    .nullish()
    .transform((list) => (list === null || list?.length === 0 ? undefined : list));

export const SearchBody = z
  .object({
    target: optional(TERM_LENGTH_MAX)
      .refine((text) => text === undefined || KIND_NAMES.some((kind) => kind === text), {
        error: `expected one of ${KIND_NAMES.join(", ")}`,
      })
      .openapi({
        type: "string",
        enum: KIND_NAMES,
        description: "The kind of objects to find; without it, a few objects of each kind.",
      }),
    ledgers: optionalList(LEDGERS_MAX).openapi({
      type: "array",
      items: { type: "string" },
      description: "The only ledgers whose transactions, accounts, assets and wallets are found.",
    }),
    terms: texts(TERMS_MAX)
      .nullish()
      .transform((terms) => (terms ?? []).filter((term) => term.trim() !== ""))
      .openapi({
        type: "array",
        items: { type: "string" },
        description:
          "Free text, or `field=value` with the field `id`, `reference`, `address`, `source`, `destination`, `asset`, `amount`, `status`, `provider` or `metadata.<key>`. Free text is an amount, a reference, an id, an address or a segment of one, as a whole, or the beginnings of words of names and metadata. Without terms, the newest objects are found.",
        example: ["reference=order-1789"],
      }),
    policy: optional(3)
      .refine((policy) => policy === undefined || policy === "AND" || policy === "OR", {
        error: "expected AND or OR",
      })
      .transform((policy): "AND" | "OR" => (policy === "OR" ? "OR" : "AND"))
      .openapi({
        type: "string",
        enum: ["AND", "OR"],
        default: "AND",
        description: "Whether all terms must match, or one of them.",
      }),
    pageSize: z
      .int()
      .min(0)
      .max(PAGE_SIZE_MAX)
      .nullish()
      // Clients in Go send 0 for a size that is not given.
      .transform((size) => (size === null || size === undefined || size === 0 ? PAGE_SIZE : size))
      .openapi({ type: "integer", minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE }),
    sort: optional(TERM_LENGTH_MAX).openapi({
      type: "string",
      example: "timestamp:desc",
      description:
        "A member of the hits and `asc` or `desc`. At most 200 hits are sorted so. Without it, hits come in the order of the index: ledger by ledger, the newest first.",
    }),
    after: optionalList(2).openapi({
      type: "array",
      items: { type: "string" },
      description:
        "Where a page begins that a client reads without a cursor: the value of the last hit's member that `sort` names or, without `sort`, its `id` (`address` of an account, `asset` of an asset) and its ledger, unless `ledgers` names a single one. Ignored without `target`.",
    }),
    cursor: optional(CURSOR_LENGTH_MAX).openapi({
      type: "string",
      description: "`next` or `previous` of an answer. All other members are ignored with it.",
    }),
    raw: z
      .record(z.string(), z.unknown())
      .nullish()
      .refine((raw) => raw === null || raw === undefined || Object.keys(raw).length === 0, {
        error: "queries of an engine are not supported; use terms",
      })
      .openapi({ type: "object", description: "Must be empty." }),
  })
  .nullish()
  .transform((body): SearchRequest => {
    const { raw: _raw, ...request } = body ?? { terms: [], policy: "AND", pageSize: PAGE_SIZE };
    return request;
  })
  .openapi("SearchQuery", {
    example: { target: "TRANSACTION", ledgers: ["shop"], terms: ["reference=order-1789"] },
  });

const Hit = z.record(z.string(), z.unknown());

export const SearchResponse = z
  .object({
    cursor: z
      .object({
        pageSize: z.int().min(1),
        hasMore: z.boolean(),
        previous: z.string().optional(),
        next: z.string().openapi({ description: "Empty on the last page." }),
        total: z.object({ value: z.int().min(0), relation: z.enum(["eq", "gte"]) }).openapi({
          description: "How many hits there are, as far as it is known: exactly, or at least.",
        }),
        data: z.array(Hit).openapi({
          description:
            "Objects as their own API shows them, with `kind` and, if they have one, `ledger`.",
        }),
      })
      .optional()
      .openapi({ description: "The page, where `target` is given." }),
    data: z
      .record(z.string(), z.array(Hit))
      .optional()
      .openapi({ description: "A few hits of each kind that has some, without `target`." }),
  })
  .openapi("SearchResponse");

const BehindResponse = z.object({
  origin: z.string().openapi({ description: "The ledger's name, or the kind of objects." }),
  position: z.int().optional().openapi({
    description:
      "The last entry of the ledger's log that is indexed; absent for objects of no ledger.",
  }),
  target: z.int().optional().openapi({ description: "The last entry that is known to exist." }),
  since: TimestampOutput.optional().openapi({ description: "Since when the index is behind." }),
  reason: z.string().openapi({ description: "Why, in words." }),
});

const IndexResponse = z.object({
  generation: z.int().min(1).openapi({ description: "The number of the index in its shard." }),
  since: TimestampOutput.openapi({ description: "Since when it has served, or is being built." }),
  origins: z.int().min(0).openapi({ description: "The number of logs and lists that it follows." }),
  pending: z.int().min(0).openapi({
    description: "The number of objects that are found, and not in the full-text table yet.",
  }),
  behindCount: z.int().min(0),
  behind: z
    .array(BehindResponse)
    .openapi({ description: "What it has not read, the oldest first." }),
});

export const SearchStateResponse = z
  .object({
    enabled: z.boolean().openapi({ description: "Whether `FLORIN_SEARCH` is on." }),
    shards: z.array(
      z.object({
        shard: z.int().min(0),
        bytes: z.int().min(0),
        serving: IndexResponse.optional().openapi({
          description: "Absent before anything was indexed.",
        }),
        building: IndexResponse.optional().openapi({
          description: "The index that a rebuild makes, while the other one serves.",
        }),
      }),
    ),
    gaps: z
      .array(z.object({ origin: z.string(), since: TimestampOutput, reason: z.string() }))
      .openapi({
        description: "Events that did not reach the index, and that the sweep makes up for.",
      }),
  })
  .openapi("SearchState");
