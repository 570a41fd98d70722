import { act } from "#scripts/florin/api/act.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { METADATA, membersOf, metadataOf, pairsOf } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";
import { exportLog, importLog } from "#scripts/florin/verbs/ledger-files.ts";
import { verify } from "#scripts/florin/verbs/verify.ts";

const PATH = "/api/ledger/v2/{ledger}";

export const noun: Noun = {
  summary: "Ledgers",
  aliases: ["ledger"],
  verbs: {
    list: list({
      summary: "Lists all ledgers",
      path: "/api/ledger/v2",
      scope: "ledger:read",
      filters: byMatch({
        name: "text",
        bucket: "text",
        "features[]": "text",
        "metadata[]": "text",
      }),
      columns: { Ledger: "name", Bucket: "bucket", "Made at": "addedAt", Metadata: "metadata" },
      empty: "There are no ledgers.",
    }),
    show: show({
      summary: "Shows a ledger",
      parameters: ["ledger"],
      path: PATH,
      scope: "ledger:read",
      fields: {
        Ledger: "name",
        Bucket: "bucket",
        "Made at": "addedAt",
        Place: "location",
        Feature: "features",
        Metadata: "metadata",
      },
    }),
    create: act({
      summary: "Creates a ledger",
      parameters: ["ledger"],
      options: {
        bucket: { kind: "text", meaning: "the group of ledgers that are deleted together" },
        feature: { kind: "pairs", meaning: "a feature of the ledger" },
        ...METADATA,
      },
      method: "POST",
      path: PATH,
      scope: "ledger:write",
      body: (call) => ({
        bucket: call.text("bucket"),
        features: pairsOf("--feature", call.pairs("feature")),
        ...metadataOf(call.pairs("metadata")),
      }),
      says: (call) => `The ledger ${call.parameter("ledger")} is there.`,
    }),
    stats: show({
      summary: "Counts the accounts and transactions of a ledger",
      parameters: ["ledger"],
      path: `${PATH}/stats`,
      scope: "ledger:read",
      fields: { Transactions: "transactions", Accounts: "accounts" },
    }),
    "set-metadata": act({
      summary: "Sets members of a ledger's metadata, such as owner=ada",
      parameters: ["ledger"],
      words: "key=value",
      method: "PUT",
      path: `${PATH}/metadata`,
      scope: "ledger:write",
      body: membersOf,
      says: (call) => `The metadata of ${call.parameter("ledger")} is set.`,
    }),
    "delete-metadata": act({
      summary: "Deletes a member of a ledger's metadata",
      parameters: ["ledger", "key"],
      method: "DELETE",
      path: `${PATH}/metadata/{key}`,
      scope: "ledger:write",
      says: (call) => `${call.parameter("key")} is deleted.`,
    }),
    verify,
    export: exportLog,
    import: importLog,
  },
};
