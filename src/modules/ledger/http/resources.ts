import type { ResourceGroup } from "#platform/modules/resources.ts";

export const LEDGER_RESOURCES: readonly ResourceGroup[] = [
  {
    name: "Ledger",
    resources: [
      {
        name: "Ledgers",
        description:
          "A ledger is a set of books with a name. Each has a storage of its own, so a customer can have one each.",
      },
      {
        name: "Transactions",
        description:
          "A transaction moves amounts between accounts, by postings or by a script in Numscript. It is kept whole or not at all.",
      },
      {
        name: "Accounts",
        description:
          "An account is an address such as `users:42:wallet`. It exists from its first use on, and its segments can be searched.",
      },
      {
        name: "Balances",
        description:
          "What accounts received and sent: by account and asset, summed over many accounts, or over time.",
      },
      {
        name: "Logs",
        description:
          "The log is the truth of a ledger: each change is an entry, chained to the one before by its hash.",
      },
      {
        name: "Schemas",
        description:
          "A schema says which accounts a ledger may have, and holds templates of transactions and of queries.",
      },
      {
        name: "Numscript",
        description: "Numscript is the language in which transactions are written as scripts.",
      },
      {
        name: "Buckets",
        description:
          "A bucket groups ledgers, which are deleted and restored together. A deleted one is purged after a while.",
      },
    ],
  },
  {
    name: "Earlier versions",
    isLegacy: true,
    resources: [
      {
        name: "Ledger API v1",
        description:
          "For clients that were written for version 1 of the API. It works on the same ledgers as version 2, which new clients use.",
      },
    ],
  },
];
