import { okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { ledgerWith } from "#test/support/ledger/schema-api.ts";

/** The first integer that a double cannot hold, and an integer of thirty-one digits. */
export const ODD = 2n ** 53n + 1n;

export const LARGE = 10n ** 30n;

export const QUERIES = {
  by_user: {
    description: "what a user has sent and got",
    resource: "transactions",
    params: { sort: "id:asc", pageSize: 2 },
    vars: { who: "string" },
    body: { $match: { account: "users:${who}" } },
  },
  since: {
    resource: "transactions",
    vars: { moment: "date", reverted: { type: "boolean", default: false } },
    body: {
      $and: [{ $gte: { timestamp: "${moment}" } }, { $match: { reverted: "${reverted}" } }],
    },
  },
  rich: {
    resource: "accounts",
    params: { expand: ["volumes"] },
    vars: { least: { type: "int", default: ODD } },
    body: { $gte: { "balance[USD]": "${least}" } },
  },
  tiers: {
    resource: "accounts",
    vars: { one: "string", two: { type: "string", default: "none" } },
    body: {
      $or: [{ $match: { "metadata[tier]": "$one" } }, { $match: { "metadata[tier]": "${two}" } }],
    },
  },
  all: { resource: "accounts" },
  changes: { resource: "logs", vars: { kind: "string" }, body: { $match: { type: "$kind" } } },
  totals: {
    resource: "volumes",
    params: { groupBy: 1, pageSize: 1 },
    body: { $match: { account: "users:..." } },
  },
  every: { resource: "volumes", params: { pageSize: 1 } },
};

/** A ledger with three users who have `ODD`, `LARGE` and 3. The first two have the tier gold. */
export async function bank(): Promise<string> {
  const ledger = await ledgerWith({ chart: {}, queries: QUERIES });
  const accountMetadata = { "users:1": { tier: "gold" }, "users:2": { tier: "gold" } };
  await okBodyOf(post(ledger, pay("world -> users:1", ODD, { accountMetadata })));
  await okBodyOf(post(ledger, pay("world -> users:2", LARGE)));
  await okBodyOf(post(ledger, pay("users:2 -> users:3", 3)));
  await okBodyOf(post(ledger, pay("world -> users:2", 3)));
  return ledger;
}
