import { act } from "#scripts/florin/api/act.ts";
import { list } from "#scripts/florin/api/list.ts";
import type { Noun } from "#scripts/florin/command.ts";

const PATH = "/api/ledger/v2/_/buckets/{bucket}";

export const noun: Noun = {
  summary: "Groups of ledgers, which are deleted and restored together",
  verbs: {
    list: list({
      summary: "Lists all buckets, with the deleted ones until they are purged",
      path: "/api/florin/v1/buckets",
      scope: "ledger:read",
      columns: {
        Bucket: "name",
        Ledgers: "ledgers",
        Deleted: "deletedLedgers",
        "Deleted at": "deletedAt",
        "Purged at": "purgeAt",
      },
      empty: "There are no buckets.",
    }),
    delete: act({
      summary: "Deletes a bucket with all its ledgers, which can be restored until they are purged",
      parameters: ["bucket"],
      method: "DELETE",
      path: PATH,
      scope: "ledger:write",
      loses: (call) => ({
        name: call.parameter("bucket"),
        loss: `All ledgers of the bucket ${call.parameter("bucket")} are deleted.`,
      }),
      says: (call) =>
        `The bucket ${call.parameter("bucket")} is deleted. \`buckets restore\` brings it back until it is purged.`,
    }),
    restore: act({
      summary: "Restores a bucket with its ledgers",
      parameters: ["bucket"],
      method: "POST",
      path: `${PATH}/restore`,
      scope: "ledger:write",
      says: (call) => `The bucket ${call.parameter("bucket")} is restored.`,
    }),
  },
};
