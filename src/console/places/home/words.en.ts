const many = (count: number, isMore: boolean): string => (isMore ? `${count} or more` : `${count}`);

export const words = {
  title: "Home",
  attention: {
    title: "Needs attention",
    none: "Nothing needs you now.",
    since: "since",
    unread: (kinds: string) => `Could not be checked: ${kinds}`,
    kind: {
      endpoints: "webhook endpoints",
      deliveries: "webhook deliveries",
      instances: "workflows",
      initiations: "payment orders",
      connectors: "connectors",
      bookings: "bookings",
      pipelines: "pipelines",
      verifications: "verifications",
      reconciliation: "reconciliation",
      corrections: "write-offs",
      matchings: "matchings",
    },
    endpoints: (count: number, isMore: boolean) =>
      count === 1 && !isMore
        ? "A webhook endpoint is failing"
        : `${many(count, isMore)} webhook endpoints are failing`,
    deliveries: (count: number, isMore: boolean) =>
      count === 1
        ? "A webhook delivery has failed"
        : `${many(count, isMore)} webhook deliveries have failed`,
    stuck: (count: number, isMore: boolean) =>
      count === 1 ? "A workflow is stuck" : `${many(count, isMore)} workflows are stuck`,
    failed: (count: number, isMore: boolean) =>
      count === 1 ? "A workflow has failed" : `${many(count, isMore)} workflows have failed`,
    initiations: (count: number, isMore: boolean) =>
      count === 1
        ? "A payment waits for your approval"
        : `${many(count, isMore)} payments wait for your approval`,
    connector: {
      degraded: "Some items of a connector are missing",
      failing: "A connector is failing",
      paused: "A connector is paused after failures",
    },
    booking: (count: string) => `Payments that the ledger refused: ${count}`,
    bookingWaits: "A booking waits because of an error",
    pipeline: "A pipeline does not deliver",
    corrections: (count: number, isMore: boolean) =>
      count === 1 && !isMore
        ? "A write-off waits for you"
        : `${many(count, isMore)} write-offs wait for you`,
    matchings: (count: number, isMore: boolean) =>
      count === 1 && !isMore
        ? "The last run of a matching has failed"
        : `The last runs of ${many(count, isMore)} matchings have failed`,
    reconciliation: (count: number, isMore: boolean) =>
      count === 1
        ? "A reconciliation alert is open"
        : `${many(count, isMore)} reconciliation alerts are open`,
    verification: "A ledger differs from its log",
  },
  money: {
    title: "Money",
    ledger: "Ledger",
    measure: "What is shown",
    transactions: "Transactions",
    into: (asset: string) => `${asset} in`,
    days: "30 days",
    day: "on the day until",
    none: "Nothing has moved in the last 30 days.",
    count: (count: string) => `${count} ${count === "1" ? "transaction" : "transactions"}`,
  },
  activity: {
    title: "Latest transactions",
    none: "No money has moved yet.",
    when: "When",
    ledger: "Ledger",
    from: "From",
    to: "To",
    amount: "Amount",
    more: (count: string) => `and ${count} more`,
  },
  first: {
    title: "First steps",
    dismiss: "Hide these steps",
    done: "Done",
    open: "To do",
    ledger: "Create a ledger",
    ledgerNote: "A set of books with its own accounts and transactions.",
    transaction: "Write a transaction",
    transactionNote: "A script moves money from one account to another. Examples are there.",
    client: "Create a client",
    clientNote: "A program uses the API with its id and secret.",
    webhook: "Add a webhook",
    webhookNote: "Florin tells an endpoint of yours what happens.",
  },
};
