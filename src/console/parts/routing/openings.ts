import { boundLedgers, hasScope, may } from "#console/api/florin.ts";
import { partWords } from "#console/parts/part-words.ts";

/** Who may open the pages below a path: whoever has one of the scopes; with no scope, everybody. */
interface Opening {
  readonly to: string;
  readonly scopes: readonly string[];
}

/** The places in the order of the sidebar: the page that each begins with, and the letter that leads there after `g`. */
export const PLACES = [
  { id: "home", to: "/", letter: "h", scopes: [] },
  { id: "ledgers", to: "/ledgers", letter: "l", scopes: ["ledger:read"] },
  { id: "numscript", to: "/numscript", letter: "n", scopes: ["ledger:read"] },
  { id: "payments", to: "/payments", letter: "p", scopes: ["payments:read"] },
  { id: "wallets", to: "/wallets", letter: "w", scopes: ["wallets:read"] },
  { id: "reconciliation", to: "/reconciliation", letter: "r", scopes: ["reconciliation:read"] },
  { id: "workflows", to: "/workflows", letter: "f", scopes: ["orchestration:read"] },
  {
    id: "developers",
    to: "/developers",
    letter: "d",
    scopes: ["florin:operate", "webhooks:read"],
  },
  { id: "access", to: "/access", letter: "a", scopes: ["auth:read"] },
] as const;

export type PlaceId = (typeof PLACES)[number]["id"];

/** Pages that are open to fewer people than their place. */
const NARROWER: readonly Opening[] = [
  { to: "/developers/requests", scopes: ["florin:operate"] },
  { to: "/developers/webhooks", scopes: ["webhooks:read"] },
  { to: "/developers/events", scopes: ["webhooks:read"] },
  { to: "/developers/event-types", scopes: ["webhooks:read"] },
];

/** Pages about the whole deployment, which tokens that are bound to ledgers do not open. */
const OF_ALL_LEDGERS: ReadonlySet<string> = new Set([
  "/access",
  "/developers/webhooks",
  "/developers/event-types",
]);

export const mayOpen = (opening: Opening): boolean =>
  isOpenTo(opening, may) && !(OF_ALL_LEDGERS.has(opening.to) && boundLedgers().length > 0);

const isOpenTo = ({ scopes }: Opening, has: (scope: string) => boolean): boolean =>
  scopes.length === 0 || scopes.some(has);

/** Why the person may not open a path, as a sentence; undefined if the person may. */
export function refusalOf(path: string): string | undefined {
  const openings: readonly Opening[] = [...NARROWER, ...PLACES];
  const opening = openings.find(({ to }) => path === to || path.startsWith(`${to}/`));
  if (opening === undefined || mayOpen(opening)) return undefined;
  const words = partWords();
  return isOpenTo(opening, hasScope)
    ? words.boundToLedgers
    : words.notAllowed(opening.scopes.join(", "));
}
