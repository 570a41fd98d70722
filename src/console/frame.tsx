import { type ErrorComponentProps, Link, Outlet, useLocation } from "@tanstack/react-router";
import { BookOpen, SquareTerminal } from "lucide-react";
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
  return (
    <Shell places={placesFor()} path={pathname}>
      <Outlet />
    </Shell>
  );
}

/** The places that the person may see. */
function placesFor(): Place[] {
  const { places } = partWords();
  const ledgers: Place = {
    id: "ledgers",
    label: places.ledgers,
    icon: <BookOpen size={16} />,
    link: (children, className) => (
      <Link to="/ledgers" className={className}>
        {children}
      </Link>
    ),
  };
  const numscript: Place = {
    id: "numscript",
    label: places.numscript,
    icon: <SquareTerminal size={16} />,
    link: (children, className) => (
      <Link to="/numscript" className={className}>
        {children}
      </Link>
    ),
  };
  return may("ledger:read") ? [ledgers, numscript] : [];
}

export const NotFound = () => <Empty title={partWords().notFound} />;

export const LoadFailure = ({ error, reset }: ErrorComponentProps) => (
  <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
);
