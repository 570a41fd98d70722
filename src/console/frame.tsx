import { type ErrorComponentProps, Link, Outlet, useLocation } from "@tanstack/react-router";
import { ArrowLeftRight, BookOpen, SquareTerminal, Workflow } from "lucide-react";
import { useSyncExternalStore } from "react";
import { may, session } from "./api/florin.ts";
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
  const lacking = lackingFor(pathname);
  return (
    <Shell places={placesFor()} path={pathname}>
      {lacking === undefined ? <Outlet /> : <NotAllowed scope={lacking} />}
    </Shell>
  );
}

/** The places in the order of the sidebar: the page that each begins with, its sign, and a scope that opens it. */
const PLACES = [
  { id: "ledgers", to: "/ledgers", sign: BookOpen, scopes: ["ledger:read"] },
  { id: "numscript", to: "/numscript", sign: SquareTerminal, scopes: ["ledger:read"] },
  { id: "payments", to: "/payments", sign: ArrowLeftRight, scopes: ["payments:read"] },
  { id: "workflows", to: "/workflows", sign: Workflow, scopes: ["orchestration:read"] },
] as const;

/** The places that the person may see. */
const placesFor = (): Place[] =>
  PLACES.filter(({ scopes }) => scopes.some(may)).map(({ id, to, sign: Sign }) => ({
    id,
    label: partWords().places[id],
    icon: <Sign size={16} />,
    link: (children, className) => (
      <Link to={to} className={className}>
        {children}
      </Link>
    ),
  }));

/** The scope that the person lacks for the place of a path; undefined if the person may open it. */
function lackingFor(path: string): string | undefined {
  const place = PLACES.find(({ to }) => path === to || path.startsWith(`${to}/`));
  return place === undefined || place.scopes.some(may) ? undefined : place.scopes[0];
}

const NotAllowed = ({ scope }: { readonly scope: string }) => (
  <Empty title={partWords().notAllowed(scope)} />
);

export const NotFound = () => <Empty title={partWords().notFound} />;

export const LoadFailure = ({ error, reset }: ErrorComponentProps) => (
  <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
);
