import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { countsQuery, type InstanceState } from "./queries.ts";
import { toneOf } from "./stages.ts";
import { workflowWords } from "./words.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { Figure, Figures } from "#console/parts/base/figure.tsx";
import { toneClass, ToneIcon } from "#console/parts/base/status.tsx";

/** The states that are counted: those of instances that have not succeeded. */
export const COUNTED = ["running", "waiting", "stuck", "failed"] as const;

/** How many instances are in each state. Each figure leads to its list. */
export function StateFigures({ workflow }: { readonly workflow?: string }) {
  const words = workflowWords();
  const { data } = useQuery(countsQuery(workflow));
  return (
    <Figures>
      {COUNTED.map((state) => (
        <Figure
          key={state}
          name={words.states[state]}
          link={linkTo({ ...(workflow === undefined ? {} : { workflow }), status: state })}
        >
          {data === undefined ? "–" : formatCount(data[state])}
        </Figure>
      ))}
    </Figures>
  );
}

/** The link to instances in a state around a figure. */
const linkTo =
  (search: { readonly workflow?: string; readonly status: string }) => (figure: ReactNode) => (
    <Link to="/workflows/instances" search={search} className="hover:underline">
      {figure}
    </Link>
  );

/** The count of a workflow's instances in a state, which is read when its row comes into view. */
export function StateCount({
  workflow,
  state,
}: {
  readonly workflow: string;
  readonly state: Exclude<InstanceState, "succeeded">;
}) {
  const { data } = useQuery(countsQuery(workflow));
  if (data === undefined) return null;
  const count = data[state];
  if (count === 0) return <span className="text-faint max-sm:hidden">0</span>;
  const tone = toneOf(state);
  return (
    <span className={`inline-flex items-center gap-1 max-sm:ml-3 ${toneClass(tone)}`}>
      <ToneIcon tone={tone} size={13} />
      {formatCount(count)}
    </span>
  );
}
