import type { ResourceGroup } from "#platform/modules/resources.ts";

/** The resources of payments in the API document. */
export const PAYMENT_RESOURCES: readonly ResourceGroup[] = [
  {
    name: "Payments",
    resources: [
      {
        name: "Connectors",
        description:
          "A connector is an installation of a kind of payment provider, which Florin polls for accounts, balances and payments, and through which it moves money.",
      },
      {
        name: "Accounts and balances",
        description:
          "An account at a provider, and what it holds over time. Connectors fetch both; some let clients create accounts.",
      },
      {
        name: "Payments",
        description:
          "A payment at a provider, with its adjustments: its status is that of the newest adjustment, and its amounts follow from all of them.",
      },
      {
        name: "Payment tasks",
        description: "A task is work that goes on after the answer to the request that began it.",
      },
      {
        name: "Bank accounts",
        description:
          "A bank account of your own or of a partner. It belongs to no connector until it is forwarded to one. Its numbers are stored encrypted and shown masked.",
      },
      {
        name: "Pools",
        description:
          "A pool is a group of accounts whose balances are summed. The accounts of a static pool are named, and those of a dynamic one are found by a filter.",
      },
      {
        name: "Orders and conversions",
        description:
          "Reports of connectors to exchanges: orders with their states, and conversions of one asset into another.",
      },
      {
        name: "Payment service users",
        description:
          "A person or company on whose behalf providers of open banking read accounts. A user is forwarded to a connector, and then linked to banks there.",
      },
      {
        name: "Payment initiations",
        description:
          "An order to a connector's provider to move money: a transfer between your own accounts, or a payout to somebody else's. Its adjustments say what has happened to it.",
      },
      {
        name: "Payment reviews",
        description:
          "Payouts, transfers and reversals of a restored deployment that its original may have made, and that could not be looked up at their providers. A person decides about each.",
      },
      {
        name: "Bookings",
        description:
          "A booking mirrors the payments of a connector or a pool in a ledger: each adjustment becomes a transaction, once and in order.",
      },
    ],
  },
  {
    name: "Earlier versions of payments",
    isLegacy: true,
    resources: [
      {
        name: "Payments API v1",
        description:
          "For clients that were written for versions 1 and 2 of the API. It works on the same objects as version 3, which new clients use.",
      },
    ],
  },
];
