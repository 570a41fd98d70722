import type { ResourceGroup } from "#platform/modules/resources.ts";

export const WALLET_RESOURCES: readonly ResourceGroup[] = [
  {
    name: "Wallets",
    resources: [
      {
        name: "Wallets",
        description:
          "A wallet holds money of one user. Its accounts and all its transactions are in one ledger, where they can be read as those of any other.",
      },
      {
        name: "Wallet balances",
        description:
          "A part of a wallet's money. It may expire, and its priority says when it is spent. Every wallet has the balance `main`, which is spent last.",
      },
      {
        name: "Holds",
        description:
          "Money of a wallet that a pending debit has set aside. It goes to its destination when the hold is confirmed, and back when the hold is voided or expires.",
      },
    ],
  },
];
