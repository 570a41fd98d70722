import { Link, Outlet } from "@tanstack/react-router";
import { reconciliationWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";

/** The frame of the lists of the place: a tab for each list. */
export function ReconciliationFrame() {
  const { title, tabs } = reconciliationWords();
  return (
    <>
      <PageTitle title={title} />
      <Tabs label={title}>
        <Link to="/reconciliation/rules" className={TAB_CLASS}>
          {tabs.rules}
        </Link>
        <Link to="/reconciliation/alerts" className={TAB_CLASS}>
          {tabs.alerts}
        </Link>
        <Link to="/reconciliation/policies" className={TAB_CLASS}>
          {tabs.policies}
        </Link>
        <Link to="/reconciliation/matchings" className={TAB_CLASS}>
          {tabs.matchings}
        </Link>
        <Link to="/reconciliation/corrections" className={TAB_CLASS}>
          {tabs.corrections}
        </Link>
        <Link to="/reconciliation/sources" className={TAB_CLASS}>
          {tabs.sources}
        </Link>
        {may("ledger:read") && (
          <Link to="/reconciliation/clearing" className={TAB_CLASS}>
            {tabs.clearing}
          </Link>
        )}
      </Tabs>
      <Outlet />
    </>
  );
}
