import type { Hit } from "./hits.ts";
import type { words } from "./words.en.ts";
import { paletteWords } from "./words.ts";
import { boundLedgers, may } from "#console/api/florin.ts";

type PageName = keyof (typeof words)["page"];
type ActionName = keyof (typeof words)["action"];

/** The pages, with the scope that they need. */
const PAGES: readonly (readonly [name: PageName, path: string, scope: string | undefined])[] = [
  ["home", "/", undefined],
  ["ledgers", "/ledgers", "ledger:read"],
  ["numscript", "/numscript", "ledger:read"],
  ["payments", "/payments/payments", "payments:read"],
  ["initiations", "/payments/initiations", "payments:read"],
  ["connectors", "/payments/connectors", "payments:read"],
  ["paymentAccounts", "/payments/accounts", "payments:read"],
  ["pools", "/payments/pools", "payments:read"],
  ["bankAccounts", "/payments/bank-accounts", "payments:read"],
  ["bookings", "/payments/bookings", "payments:read"],
  ["wallets", "/wallets", "wallets:read"],
  ["workflows", "/workflows", "orchestration:read"],
  ["instances", "/workflows/instances", "orchestration:read"],
  ["triggers", "/workflows/triggers", "orchestration:read"],
  ["webhooks", "/developers/webhooks", "webhooks:read"],
  ["requests", "/developers/requests", "florin:operate"],
  ["events", "/developers/events", "webhooks:read"],
  ["eventTypes", "/developers/event-types", "webhooks:read"],
  ["clients", "/access/clients", "auth:read"],
  ["people", "/access/people", "auth:read"],
  ["audit", "/access/audit", "auth:read"],
];

/** The pages on which things are made. */
const ACTIONS: readonly (readonly [name: ActionName, path: string, scope: string])[] = [
  ["transaction", "/numscript", "ledger:write"],
  ["ledger", "/ledgers", "ledger:write"],
  ["connector", "/payments/connectors", "payments:write"],
  ["initiation", "/payments/initiations", "payments:write"],
  ["wallet", "/wallets", "wallets:write"],
  ["workflow", "/workflows", "orchestration:write"],
  ["webhook", "/developers/webhooks", "webhooks:write"],
  ["client", "/access/clients", "auth:write"],
  ["person", "/access/people", "auth:write"],
];

/** The pages whose names have a text in them. */
export const pagesWith = (text: string): Hit[] =>
  PAGES.filter(([, path, scope]) => scope === undefined || mayOpen(path, scope))
    .map(([name, path]): Hit => ({ path, title: paletteWords().page[name] }))
    .filter((hit) => hasText(hit, text));

/** The actions whose names have a text in them. */
export const actionsWith = (text: string): Hit[] =>
  ACTIONS.filter(([, path, scope]) => mayOpen(path, scope))
    .map(([name, path]): Hit => ({ path, title: paletteWords().action[name] }))
    .filter((hit) => hasText(hit, text));

/** Pages about all ledgers, which are closed to who is bound to some. */
const OF_ALL_LEDGERS = /^\/(?:access\/|developers\/(?:webhooks|event-types)$)/;

const mayOpen = (path: string, scope: string): boolean =>
  may(scope) && !(OF_ALL_LEDGERS.test(path) && boundLedgers().length > 0);

/** Whether each word of a text is in the title or the note. */
export function hasText({ title, note = "" }: Hit, text: string): boolean {
  const whole = `${title} ${note}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
