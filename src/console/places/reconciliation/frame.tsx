import { Link, Outlet } from "@tanstack/react-router";
import { reconciliationWords } from "./words.ts";
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
      </Tabs>
      <Outlet />
    </>
  );
}
