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
  House,
  type LucideIcon,
  Scale,
  SquareTerminal,
  Users,
  Wallet,
  Workflow,
} from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { session } from "./api/florin.ts";
import { CALLBACK_PATH, SIGN_IN_PATH } from "./base-path.ts";
import { Palette } from "./palette/palette.tsx";
import { objectAt, remember } from "./palette/recent.ts";
import { Empty, Failure } from "./parts/base/states.tsx";
import { PageKeyboard } from "./parts/keys/page-keys.tsx";
import { DisarmedBanner } from "./parts/layout/disarmed-banner.tsx";
import { type Place, Shell } from "./parts/layout/shell.tsx";
import { useShownTitle } from "./parts/layout/shown-title.ts";
import { partWords } from "./parts/part-words.ts";
import { mayOpen, type PlaceId, PLACES, refusalOf } from "./parts/routing/openings.ts";
import { SignInPage } from "./places/sign-in/sign-in-page.tsx";

/** The frame of all pages, for whom it is: the pages of the sign-in have none, and who is not signed in sees only the way in. */
export function Frame() {
  const { pathname, href } = useLocation();
  // While the next page loads, the page before it is shown, and has its own frame.
  const shown = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  const path = shown ?? pathname;
  const { kind } = useSyncExternalStore(session.subscribe, () => session.state);
  if (path === CALLBACK_PATH || path === SIGN_IN_PATH) return <Outlet />;
  if (kind === "nobody") return <SignInPage returnTo={href} />;
  return <Pages path={path} />;
}

/** The pages with what is on each of them: the places, the search, and the keys. */
function Pages({ path }: { readonly path: string }) {
  const open = PLACES.filter(mayOpen);
  const [isFinding, setFinding] = useState(false);
  const find = (): void => setFinding(true);
  const refusal = refusalOf(path);
  const shown = useShownTitle();
  useEffect(() => {
    const object = refusal === undefined ? objectAt(path) : undefined;
    const title = shown?.path === location.pathname ? shown.title : undefined;
    if (object !== undefined) remember(object, title);
  }, [path, refusal, shown]);
  const { places } = partWords();
  const destinations = open.map(({ id, to, letter }) => ({ letter, label: places[id], path: to }));
  return (
    <Shell places={open.map(toPlace)} path={path} onFind={find}>
      <DisarmedBanner />
      {refusal === undefined ? <Outlet /> : <Empty title={refusal} isPage />}
      <PageKeyboard destinations={destinations} onFind={find} />
      <Palette isOpen={isFinding} onClose={() => setFinding(false)} />
    </Shell>
  );
}

const SIGNS: Readonly<Record<PlaceId, LucideIcon>> = {
  home: House,
  ledgers: BookOpen,
  numscript: SquareTerminal,
  payments: ArrowLeftRight,
  wallets: Wallet,
  reconciliation: Scale,
  workflows: Workflow,
  developers: Code,
  access: Users,
};

/** A place as the sidebar shows it. */
function toPlace({ id, to }: (typeof PLACES)[number]): Place {
  const Sign = SIGNS[id];
  return {
    id,
    label: partWords().places[id],
    icon: <Sign size={16} />,
    link: (children, className) => (
      <Link to={to} activeOptions={{ exact: to === "/" }} className={className}>
        {children}
      </Link>
    ),
  };
}

export const NotFound = () => (
  <Empty title={partWords().notFound} isPage>
    <Link to="/" className="text-accent hover:underline">
      {partWords().places.home}
    </Link>
  </Empty>
);

export const LoadFailure = ({ error, reset }: ErrorComponentProps) => (
  <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
);
