import type { ResourceGroup } from "#platform/modules/resources.ts";

export const RECONCILIATION_RESOURCES: readonly ResourceGroup[] = [
  {
    name: "Reconciliation",
    resources: [
      {
        name: "Policies",
        description:
          "A policy pairs accounts of a ledger with a pool of payments. A reconciliation compares both at two moments.",
      },
      {
        name: "Rules",
        description:
          "A rule is a check of balances in ledgers and pools that runs on demand, by a cron schedule, or on events. Each run is an evaluation.",
      },
      {
        name: "Sources",
        description:
          "A source is where lines come from that are matched item by item: files of a bank or provider, accounts of a ledger, or payments. A statement is a file that was uploaded to a source.",
      },
      {
        name: "Alerts",
        description:
          "An alert is the one record of something that fails in a period, from its opening to its resolution, with its history.",
      },
      {
        name: "Matchings",
        description:
          "A matching says line by line what belongs together in two sources, and why the rest is open: by passes in their order, and by what people decide.",
      },
      {
        name: "Breaks",
        description:
          "A break is a line without a match, with its class and age. It is looked after by people, corrected by a booking, or written off.",
      },
      {
        name: "Clearing",
        description: "What is left on accounts that ought to go to zero, by age.",
      },
    ],
  },
];
