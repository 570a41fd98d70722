import {
  type ErrorComponentProps,
  Link,
  Outlet,
  useLocation,
  useMatches,
} from "@tanstack/react-router";
import {
  ArrowLeftRight,
  BookOpen,
  Code,
  SquareTerminal,
  Users,
  Wallet,
  Workflow,
} from "lucide-react";
import { useSyncExternalStore } from "react";
import { boundLedgers, may, session } from "./api/florin.ts";
import { CALLBACK_PATH, SIGN_IN_PATH } from "./base-path.ts";
import { Empty, Failure } from "./parts/base/states.tsx";
import { type Place, Shell } from "./parts/layout/shell.tsx";
import { partWords } from "./parts/part-words.ts";
import { SignInPage } from "./places/sign-in/sign-in-page.tsx";

/** The frame of all pages, for whom it is: the pages of the sign-in have none, and who is not signed in sees only the way in. */
export function Frame() {
  const { pathname, href } = useLocation();
  const { kind } = useSyncExternalStore(session.subscribe, () => session.state);
  if (pathname === CALLBACK_PATH || pathname === SIGN_IN_PATH) return <Outlet />;
  if (kind === "nobody") return <SignInPage returnTo={href} />;
  // While the next page loads, the frame shows the page before it, and asks whether that one is open.
  const shown = useMatches({ select: (matches) => matches.at(-1)?.pathname }) ?? pathname;
  const refusal = refusalOf(shown);
  return (
    <Shell places={placesFor()} path={pathname}>
      {refusal === undefined ? <Outlet /> : <Empty title={refusal} />}
    </Shell>
  );
}

/** The places in the order of the sidebar: the page that each begins with, its sign, and a scope that opens it. */
const PLACES = [
  { id: "ledgers", to: "/ledgers", sign: BookOpen, scopes: ["ledger:read"] },
  { id: "numscript", to: "/numscript", sign: SquareTerminal, scopes: ["ledger:read"] },
  { id: "payments", to: "/payments", sign: ArrowLeftRight, scopes: ["payments:read"] },
  { id: "wallets", to: "/wallets", sign: Wallet, scopes: ["wallets:read"] },
  { id: "workflows", to: "/workflows", sign: Workflow, scopes: ["orchestration:read"] },
  { id: "developers", to: "/developers", sign: Code, scopes: ["florin:operate", "webhooks:read"] },
  { id: "access", to: "/access", sign: Users, scopes: ["auth:read"] },
] as const;

/** Who may open the pages below a path: whoever has one of the scopes. */
interface Opening {
  readonly to: string;
  readonly scopes: readonly [string, ...string[]];
}

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

const mayOpen = ({ to, scopes }: Opening): boolean =>
  scopes.some(may) && !(OF_ALL_LEDGERS.has(to) && boundLedgers().length > 0);

/** The places that the person may see. */
const placesFor = (): Place[] =>
  PLACES.filter(mayOpen).map(({ id, to, sign: Sign }) => ({
    id,
    label: partWords().places[id],
    icon: <Sign size={16} />,
    link: (children, className) => (
      <Link to={to} className={className}>
        {children}
      </Link>
    ),
  }));

/** Why the person may not open a path, as a sentence; undefined if the person may. */
function refusalOf(path: string): string | undefined {
  const openings: readonly Opening[] = [...NARROWER, ...PLACES];
  const opening = openings.find(({ to }) => path === to || path.startsWith(`${to}/`));
  if (opening === undefined || mayOpen(opening)) return undefined;
  const words = partWords();
  return opening.scopes.some(may) ? words.boundToLedgers : words.notAllowed(opening.scopes[0]);
}

export const NotFound = () => <Empty title={partWords().notFound} />;

export const LoadFailure = ({ error, reset }: ErrorComponentProps) => (
  <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
);
