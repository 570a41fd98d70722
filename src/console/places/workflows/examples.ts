/** Definitions to begin with, by the names of their words. The texts are YAML, which takes JSON as well. */
export const EXAMPLES = {
  send: `name: pay-seller
stages:
  - send:
      source:
        account: { ledger: main, id: "orders:\${order}" }
      destination:
        account: { ledger: main, id: "sellers:\${seller}" }
      amount: { asset: EUR/2, amount: "\${amount}" }
`,
  approve: `name: settle-order
stages:
  - wait_event:
      event: "order.\${order}.shipped"
  - send:
      source:
        account: { ledger: main, id: "orders:\${order}" }
      destination:
        account: { ledger: main, id: "sellers:\${seller}" }
      amount: { asset: EUR/2, amount: "\${amount}" }
`,
  payout: `name: pay-out
stages:
  - send:
      source:
        wallet: { id: "\${wallet}", balance: main }
      destination:
        payment: { psp: stripe, type: PAYOUT }
      amount: { asset: EUR/2, amount: "\${amount}" }
`,
  delay: `name: mark-after-a-day
stages:
  - delay: { duration: 24h }
  - update:
      account:
        ledger: main
        id: "users:\${user}"
        metadata: { checked: "yes" }
`,
} as const;

export type WorkflowExample = keyof typeof EXAMPLES;
export const EXAMPLE_IDS = Object.keys(EXAMPLES) as readonly WorkflowExample[]; // The keys are the examples.
