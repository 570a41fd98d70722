import { Link, Outlet } from "@tanstack/react-router";
import { workflowWords } from "./words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";

/** The frame of the lists of the place, with a tab for each. */
export function WorkflowsFrame() {
  const words = workflowWords();
  return (
    <>
      <PageTitle title={words.title} />
      <Tabs label={words.title}>
        <Link to="/workflows" activeOptions={{ exact: true }} className={TAB_CLASS}>
          {words.title}
        </Link>
        <Link to="/workflows/instances" className={TAB_CLASS}>
          {words.instances}
        </Link>
        <Link to="/workflows/triggers" className={TAB_CLASS}>
          {words.triggers}
        </Link>
      </Tabs>
      <Outlet />
    </>
  );
}
