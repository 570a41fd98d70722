/** Words that parts use on every page. */
export const words = {
  places: {
    home: "Home",
    ledgers: "Ledgers",
    numscript: "Numscript",
    wallets: "Wallets",
    reconciliation: "Reconciliation",
    workflows: "Workflows",
    payments: "Payments",
    developers: "Developers",
    access: "Access",
  },
  notFound: "There is no such page.",
  notAllowed: (scope: string) =>
    `You may not open this page: it needs the scope ${scope}. Ask an administrator of this deployment for it.`,
  boundToLedgers:
    "You may not open this page: it is about all ledgers, and you are bound to some of them.",
  skip: "Skip to the content",
  find: "Find",
  menu: "Menu",
  close: "Close",
  openPage: "Open as a page",
  account: {
    title: "Account",
    signOut: "Sign out",
    theme: "Theme",
    light: "Light",
    dark: "Dark",
    system: "Like the system",
    language: "Language",
    security: "Password and passkeys",
    apiReference: "API reference",
  },
  copy: (what: string) => `Copy ${what}`,
  copied: "Copied",
  error: {
    title: "This could not be loaded",
    again: "Try again",
    requestId: "Request",
    hints: {
      unreachable: "The server does not answer. Florin tries again by itself once it does.",
      unauthorized: "Your session has ended, or you may not read this.",
      notFound: "It may have been deleted, or its name is another one.",
      busy: "The server has much to do. Try again in a few seconds.",
      unavailable: "The server cannot do this at the moment. Try again later.",
      server: "This is a fault of the server. Its log has more under the request's id.",
    },
  },
  form: {
    optional: "optional",
    failed: "This was not done",
    noAmount:
      "This is not an amount of this asset. Write it like 1250.00, without separators of thousands.",
    amountHint: "In the asset's unit, such as 1250.00",
    cancel: "Cancel",
  },
  editor: {
    leave: "Tab indents. Escape and then Tab leaves the text.",
  },
  json: "JSON",
  code: {
    open: "Code",
    title: "As code",
    language: "Language",
    snippet: "code",
    environment: {
      token: "The code takes a token from FLORIN_TOKEN.",
      client:
        "The code takes the id and the secret of a client from FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET.",
    },
  },
  shownOnce: "Copy it now. It is not shown again.",
  who: {
    console: "console",
    deployment: "Florin itself",
    anybody: "Anybody, without signing in",
    nobody: "Nobody",
  },
  keys: {
    title: "Keys",
    page: "On this page",
    everywhere: "Everywhere",
    find: "Find anything",
    help: "Show these keys",
    filter: "Filter the list",
    move: "Move in the list",
    open: "Open the row",
    close: "Close the panel",
    go: (place: string) => `Go to ${place}`,
  },
  csv: {
    download: "CSV",
    title: "Save the list as a CSV file",
    failed: "The file was not made",
    progress: (rows: string) => `${rows} rows… Stop`,
  },
  table: {
    more: "Loading more",
    end: (count: string) => `${count} shown, no more`,
  },
  filter: {
    add: "Filter",
    clear: "Remove filters",
    remove: (name: string) => `Remove the filter ${name}`,
    nothingFits: "Nothing fits these filters",
  },
  graph: {
    label: "Who paid whom",
    posting: (amount: string, source: string, destination: string) =>
      `${amount} from ${source} to ${destination}`,
    more: (count: string) => `and ${count} more`,
    moreAssets: (count: string) => `and ${count} more assets`,
    in: "in",
    out: "out",
  },
  disarmed: {
    title: "This deployment is disarmed",
    effect:
      "It calls no other server: webhooks, exporters, connectors, workflows, triggers and scheduled rules wait. Ledgers, wallets and all reads work.",
    butFor: (count: number) =>
      count === 1 ? "One connector is armed." : `${count} connectors are armed.`,
    since: "Since",
    bySetting: "by the setting FLORIN_DISARMED",
    reasons: {
      operator: "stopped by an operator",
      restored: "a copy of another deployment, which may still run",
    },
    takeAway: "When the reason is gone, take the setting away and serve the deployment again.",
    arm: {
      operator: "When the reason is gone, an operator arms it:",
      restored: "When the original is stopped, an operator arms it, one connector at a time:",
    },
    more: "What waits, and how it goes on",
  },
  live: {
    paused: "Live paused",
    pausedSince: (time: string) => `Live paused, last ${time}`,
    newRows: (count: string) => `${count} new`,
    showNew: "Show what is new (n)",
  },
};
