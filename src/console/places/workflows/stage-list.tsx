import { ArrowRight } from "lucide-react";
import type { Side, StageView } from "./stages.ts";
import { workflowWords } from "./words.ts";
import { Foreign } from "#console/parts/base/address.tsx";

/** The stages of a workflow in their order, as the diagram shows them. */
export function StageList({ stages }: { readonly stages: readonly StageView[] }) {
  const words = workflowWords();
  if (stages.length === 0) return <p className="text-muted">{words.detail.noStages}</p>;
  return (
    <ol
      aria-label={words.detail.stages}
      className="divide-y divide-line rounded-md border border-line"
    >
      {stages.map(({ number, kind, title, from, to }) => (
        <li key={number} className="flex gap-3 px-3 py-2">
          <span className="figures w-6 shrink-0 text-right text-faint">{number}</span>
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              <span className="font-medium">
                <Foreign>{title}</Foreign>
              </span>
              <span className="text-note text-muted">{kind}</span>
            </p>
            {(from !== undefined || to !== undefined) && (
              <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-muted">
                {from !== undefined && <SideText side={from} />}
                <ArrowRight aria-label={words.stage.to} size={13} className="shrink-0 text-faint" />
                {to !== undefined && <SideText side={to} />}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

const SideText = ({ side: { text } }: { readonly side: Side }) => (
  <span className="min-w-0 font-mono text-note">
    <Foreign>{text}</Foreign>
  </span>
);
