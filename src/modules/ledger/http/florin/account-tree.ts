import { z } from "@hono/zod-openapi";
import type { SubtreeSum } from "#ledger-engine";
import { rulesOf } from "#modules/ledger/http/requests.ts";
import { LedgerOverview } from "#modules/ledger/service/overview.ts";
import { BalancesResponse, LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { toBalancesView } from "#modules/ledger/wire/views.ts";
import {
  BooleanParam,
  Count,
  deploymentOf,
  ListParams,
  ok,
  operations,
  registration,
  TimestampParam,
  toPageQuery,
} from "#platform/http/index.ts";

const TreeParams = ListParams.omit({ sort: true }).extend({
  prefix: z.string().optional().openapi({
    description:
      "The level: the `prefix` of a segment of the level above, such as `users:42:`. Its colon at the end may be left out. Without it, the first level is listed.",
    example: "users:42:",
  }),
  pit: TimestampParam.openapi({
    description: "Point in time: the answer shows the accounts that had been used by this date.",
  }),
});

const SegmentResponse = z
  .object({
    segment: z.string(),
    address: z.string().openapi({ description: "The address that ends with the segment." }),
    prefix: z.string().openapi({ description: "The `prefix` of the level below the segment." }),
    isAccount: z.boolean().openapi({ description: "Whether an account has exactly this address." }),
    hasChildren: z.boolean().openapi({ description: "Whether accounts are below this address." }),
    accounts: Count.optional().openapi({
      description:
        "The number of accounts at and below the address. Absent if more than a hundred are below, and at a point in time.",
    }),
  })
  .openapi("AccountSegment", {
    example: {
      segment: "42",
      address: "users:42",
      prefix: "users:42:",
      isAccount: true,
      hasChildren: true,
      accounts: 3,
    },
  });

const SumParams = z.object({
  address: z
    .string()
    .openapi({ description: "The address of a segment of the tree.", example: "users:42" }),
  pit: TimestampParam.openapi({
    description: "Point in time of the balances; by default it is now.",
  }),
  insertionDate: BooleanParam.openapi({
    description: "Takes `pit` as a date of recording instead of an effective date.",
  }),
});

const SumResponse = z
  .object({
    address: z.string(),
    complete: z
      .boolean()
      .openapi({ description: "Whether all accounts are in the sums. If not, ask again." }),
    progress: z.object({ accounts: Count, total: Count }).optional().openapi({
      description:
        "The number of accounts that are in the sums so far, and that will be. Absent from a complete sum, and while the accounts are counted.",
    }),
    balances: BalancesResponse,
  })
  .openapi("SubtreeSum");

const toSumView = ({
  address,
  isComplete,
  progress,
  balances,
}: SubtreeSum): z.input<typeof SumResponse> => ({
  address,
  complete: isComplete,
  ...(progress === undefined ? {} : { progress: { ...progress } }),
  balances: toBalancesView(balances),
});

const accounts = operations({ tags: ["Accounts"], scope: "ledger" });
const balances = operations({ tags: ["Balances"], scope: "ledger" });

export const registerAccountTree = registration(
  accounts.get("/ledgers/{ledger}/accounts/tree", {
    operationId: "florinListAccountTree",
    summary: "List a level of the tree of accounts",
    description:
      "The segments of addresses make a tree: `users:42:main` is below `users:42`, which is below `users`. This lists the segments of one level in byte order, however many accounts are below them. Pages go forward only. A page at a point in time may have fewer segments than `pageSize`, also none, and a cursor with which to go on.",
    params: LedgerParams,
    query: TreeParams,
    answer: ok.page("A page of segments", SegmentResponse),
    errors: [404],
    handle: ({ params, query, context, c }) => {
      const { prefix = "", ...page } = query;
      const wanted = toPageQuery(
        { ...page, options: { prefix } },
        rulesOf(params.ledger, "accountTree"),
        deploymentOf(c).settings,
      );
      return LedgerOverview.from(context).listTree(params.ledger, wanted);
    },
  }),
  balances.get("/ledgers/{ledger}/accounts/tree/sums", {
    operationId: "florinSumAccountTree",
    summary: "Sum the balances below a segment of the tree of accounts",
    description:
      "The balance of each asset, summed over the account at an address and all accounts below it. A request works for about 150 ms: if many accounts are to be summed, its answer has the sums so far, and the same request goes on with them. A sum of the present is at least as recent as the first of these requests.",
    params: LedgerParams,
    query: SumParams,
    bigintAsString: true,
    answer: ok.data("The sums", SumResponse, toSumView),
    errors: [404],
    handle: ({ params, query, context }) =>
      LedgerOverview.from(context).sumSubtree(params.ledger, query),
  }),
);
