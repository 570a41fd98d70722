import type { ResourceGroup } from "#platform/modules/resources.ts";

export const ORCHESTRATION_RESOURCES: readonly ResourceGroup[] = [
  {
    name: "Orchestration",
    resources: [
      {
        name: "Workflows",
        description:
          "A workflow is a list of stages, which an instance of it goes through: it sends money between ledgers, wallets and payments, waits for a time or an event, and changes metadata.",
      },
      {
        name: "Triggers",
        description:
          "A trigger starts an instance of a workflow for each event of a type that its filter lets through. Expressions over the event's payload are its filter and the instance's variables.",
      },
    ],
  },
  {
    name: "Earlier versions of orchestration",
    isLegacy: true,
    resources: [
      {
        name: "Orchestration API v1",
        description:
          "For clients that were written for the first version of the API. It works on the same objects as version 2, which new clients use.",
      },
    ],
  },
];
