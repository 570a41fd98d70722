import type { Hit } from "./hits.ts";
import type { words } from "./words.en.ts";
import { paletteWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { refusalOf } from "#console/parts/routing/openings.ts";

type PageName = keyof (typeof words)["page"];
type ActionName = keyof (typeof words)["action"];

/** The pages that a search finds. */
const PAGES: readonly (readonly [name: PageName, path: string])[] = [
  ["home", "/"],
  ["ledgers", "/ledgers"],
  ["numscript", "/numscript"],
  ["payments", "/payments/payments"],
  ["initiations", "/payments/initiations"],
  ["connectors", "/payments/connectors"],
  ["paymentAccounts", "/payments/accounts"],
  ["pools", "/payments/pools"],
  ["bankAccounts", "/payments/bank-accounts"],
  ["bookings", "/payments/bookings"],
  ["wallets", "/wallets"],
  ["rules", "/reconciliation/rules"],
  ["alerts", "/reconciliation/alerts"],
  ["policies", "/reconciliation/policies"],
  ["matchings", "/reconciliation/matchings"],
  ["corrections", "/reconciliation/corrections"],
  ["sources", "/reconciliation/sources"],
  ["clearing", "/reconciliation/clearing"],
  ["workflows", "/workflows"],
  ["instances", "/workflows/instances"],
  ["triggers", "/workflows/triggers"],
  ["webhooks", "/developers/webhooks"],
  ["requests", "/developers/requests"],
  ["events", "/developers/events"],
  ["eventTypes", "/developers/event-types"],
  ["clients", "/access/clients"],
  ["people", "/access/people"],
  ["audit", "/access/audit"],
];

/** The pages on which things are made, with the scopes that making takes. */
const ACTIONS: readonly (readonly [name: ActionName, path: string, ...scopes: string[]])[] = [
  ["transaction", "/numscript", "ledger:write"],
  ["ledger", "/ledgers", "ledger:write"],
  ["connector", "/payments/connectors", "payments:write"],
  ["initiation", "/payments/initiations", "payments:write"],
  ["wallet", "/wallets", "wallets:write"],
  ["rule", "/reconciliation/rules", "reconciliation:write", "ledger:read"],
  ["policy", "/reconciliation/policies", "reconciliation:write", "ledger:read", "payments:read"],
  ["source", "/reconciliation/sources", "reconciliation:write"],
  ["matching", "/reconciliation/matchings", "reconciliation:write"],
  ["workflow", "/workflows", "orchestration:write"],
  ["webhook", "/developers/webhooks", "webhooks:write"],
  ["client", "/access/clients", "auth:write"],
  ["person", "/access/people", "auth:write"],
];

/** The pages whose names have a text in them. */
export const pagesWith = (text: string): Hit[] =>
  PAGES.filter(([, path]) => refusalOf(path) === undefined)
    .map(([name, path]): Hit => ({ path, title: paletteWords().page[name] }))
    .filter((hit) => hasText(hit, text));

/** An object with the name of the list that its page is below; an object of a ledger has its ledger there. */
export function withKind(hit: Hit): Hit {
  const list = hit.path.slice(0, hit.path.lastIndexOf("/"));
  const [name] = PAGES.find(([, path]) => path === list) ?? [];
  return hit.note === undefined && name !== undefined
    ? { ...hit, note: paletteWords().page[name] }
    : hit;
}

/** The actions whose names have a text in them. */
export const actionsWith = (text: string): Hit[] =>
  ACTIONS.filter(([, path, ...scopes]) => scopes.every(may) && refusalOf(path) === undefined)
    .map(([name, path]): Hit => ({ path, title: paletteWords().action[name] }))
    .filter((hit) => hasText(hit, text));

/** Whether each word of a text is in the title or the note. */
export function hasText({ title, note = "" }: Hit, text: string): boolean {
  const whole = `${title} ${note}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
