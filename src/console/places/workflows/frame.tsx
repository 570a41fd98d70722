import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { NewWorkflow } from "./new-workflow.tsx";
import { NewTrigger } from "./triggers/new-trigger.tsx";
import { workflowWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, TABS_CLASS } from "#console/parts/layout/tabs.ts";

/** The frame of the lists of the place, with a tab for each. */
export function WorkflowsFrame() {
  const words = workflowWords();
  const { pathname } = useLocation();
  const isTriggers = pathname === "/workflows/triggers";
  return (
    <>
      <PageTitle title={words.title} actions={<Create isTrigger={isTriggers} />} />
      <nav aria-label={words.title} className={TABS_CLASS}>
        <Link to="/workflows" activeOptions={{ exact: true }} className={TAB_CLASS}>
          {words.title}
        </Link>
        <Link to="/workflows/instances" className={TAB_CLASS}>
          {words.instances}
        </Link>
        <Link to="/workflows/triggers" className={TAB_CLASS}>
          {words.triggers}
        </Link>
      </nav>
      <Outlet />
    </>
  );
}

/** The button that makes what the list shows. */
function Create({ isTrigger }: { readonly isTrigger: boolean }) {
  if (!may("orchestration:write")) return null;
  return isTrigger ? <NewTrigger /> : <NewWorkflow />;
}
