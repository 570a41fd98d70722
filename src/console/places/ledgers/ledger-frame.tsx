import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ledgerWords } from "./words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";

/** The frame of the lists of a ledger: its name, and a tab for each list. */
export function LedgerFrame() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger" });
  return (
    <>
      <PageTitle crumbs={[ledgersCrumb()]} title={ledger} />
      <nav aria-label={ledger} className="flex gap-5 border-b border-line px-6 max-sm:px-4">
        <Link to="/ledgers/$ledger/transactions" params={{ ledger }} className={TAB_CLASS}>
          {words.transactions}
        </Link>
        <Link to="/ledgers/$ledger/accounts" params={{ ledger }} className={TAB_CLASS}>
          {words.accounts}
        </Link>
      </nav>
      <Outlet />
    </>
  );
}

const TAB_CLASS =
  "-mb-px flex h-9 items-center border-b-2 border-transparent font-medium text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text pointer-coarse:h-11";

/** The way back to the list of ledgers. */
export const ledgersCrumb = () => ({
  text: ledgerWords().title,
  link: (text: ReactNode) => <Link to="/ledgers">{text}</Link>,
});

/** The way back to a ledger. */
export const ledgerCrumb = (ledger: string) => ({
  text: ledger,
  link: (text: ReactNode) => (
    <Link to="/ledgers/$ledger/transactions" params={{ ledger }}>
      {text}
    </Link>
  ),
});
