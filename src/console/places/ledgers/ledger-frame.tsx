import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ledgerWords } from "./words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, TABS_CLASS } from "#console/parts/layout/tabs.ts";

/** The frame of the lists of a ledger: its name, and a tab for each list. */
export function LedgerFrame() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger" });
  return (
    <>
      <PageTitle crumbs={[ledgersCrumb()]} title={ledger} />
      <nav aria-label={ledger} className={TABS_CLASS}>
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
