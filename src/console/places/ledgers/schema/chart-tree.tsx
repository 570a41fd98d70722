import type { ChartNode } from "./chart.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** The chart of accounts: which accounts may exist, segment by segment. */
export const ChartTree = ({ nodes }: { readonly nodes: readonly ChartNode[] }) => (
  <ul className="space-y-1">
    {nodes.map((node) => (
      <li key={node.segment}>
        <Segment node={node} />
        {node.children.length > 0 && (
          <div className="mt-1 ml-2 border-l border-line pl-4">
            <ChartTree nodes={node.children} />
          </div>
        )}
      </li>
    ))}
  </ul>
);

function Segment({
  node: { segment, pattern, isAccount, metadata },
}: {
  readonly node: ChartNode;
}) {
  const words = ledgerWords().schema;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      <span className={`font-mono text-note ${isAccount ? "font-medium" : "text-muted"}`}>
        <Foreign>{segment}</Foreign>
      </span>
      {pattern !== undefined && (
        <span className="text-note text-muted">
          {words.pattern} <span className="foreign font-mono">{pattern}</span>
        </span>
      )}
      {isAccount && <span className="text-note text-faint">{words.account}</span>}
      {metadata.map(([key, value]) => (
        <span key={key} className="text-note text-muted">
          <Foreign>{value === undefined ? key : `${key} = ${value}`}</Foreign>
        </span>
      ))}
    </p>
  );
}
