import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { workflowQuery } from "#console/places/workflows/queries.ts";
import { WorkflowName } from "#console/places/workflows/workflows-page.tsx";

/** Time for which a workflow counts as current, in milliseconds. Workflows never change. */
const CURRENT_MS = 600_000;

/** The name of a workflow, which leads to it. The name is read when the link comes into view. */
export function WorkflowLink({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...workflowQuery(id), staleTime: CURRENT_MS });
  return (
    <Link
      to="/workflows/$id"
      params={{ id }}
      onClick={(event) => event.stopPropagation()}
      className="text-accent hover:underline"
    >
      {data === undefined ? id.slice(0, 8) : <WorkflowName workflow={data} />}
    </Link>
  );
}
