/** A kind of objects that can be searched for, as `target` names it. */
export type Kind = keyof typeof KINDS;

interface KindSpec {
  /** How objects of the kind are found: through the index of a ledger's log, the index of events, or by reading a short list. */
  readonly home: "ledger" | "events" | "list";
  /** The scope without which the kind has no hits. */
  readonly scope: `${string}:read`;
}

/**
 * The kinds, in the order of an answer without a target. Workflows, triggers and webhook configs are few, and not all of their changes are
 * events; a search reads their lists, so that they are in no index.
 */
export const KINDS = {
  TRANSACTION: { home: "ledger", scope: "ledger:read" },
  ACCOUNT: { home: "ledger", scope: "ledger:read" },
  ASSET: { home: "ledger", scope: "ledger:read" },
  PAYMENT: { home: "events", scope: "payments:read" },
  PAYMENT_ACCOUNT: { home: "events", scope: "payments:read" },
  PAYMENT_INITIATION: { home: "events", scope: "payments:read" },
  BANK_ACCOUNT: { home: "events", scope: "payments:read" },
  POOL: { home: "events", scope: "payments:read" },
  WALLET: { home: "ledger", scope: "wallets:read" },
  WORKFLOW: { home: "list", scope: "orchestration:read" },
  INSTANCE: { home: "events", scope: "orchestration:read" },
  TRIGGER: { home: "list", scope: "orchestration:read" },
  WEBHOOK: { home: "list", scope: "webhooks:read" },
} as const satisfies Readonly<Record<string, KindSpec>>;

export const KIND_NAMES = Object.keys(KINDS) as Kind[]; // the keys of the table

export const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);

/** The kinds whose objects the modules in D1 announce by events. */
export const EVENT_KINDS = KIND_NAMES.filter((kind) => KINDS[kind].home === "events");
