import type { FlowNode } from "./flows.ts";
import { Address } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Money } from "#console/parts/money/money.tsx";
import { partWords } from "#console/parts/part-words.ts";

/** The account of a node, and what it received and sent. */
export const NodeText = ({ node, asset }: { readonly node: FlowNode; readonly asset: string }) => (
  <>
    <span className="flex max-w-full min-w-0 text-text">
      {node.address === undefined ? (
        <span className="text-note">{partWords().graph.more(formatCount(node.accounts))}</span>
      ) : (
        <Address address={node.address} />
      )}
    </span>
    <span className="max-w-full truncate text-note text-muted">
      <NodeAmount node={node} asset={asset} />
    </span>
  </>
);

function NodeAmount({
  node: { received, sent },
  asset,
}: {
  readonly node: FlowNode;
  readonly asset: string;
}) {
  const words = partWords().graph;
  if (received === 0n || sent === 0n || received === sent)
    return <Money amount={received > sent ? received : sent} asset={asset} />;
  return (
    <>
      <Money amount={received} asset={asset} /> {words.in}, <Money amount={sent} asset={asset} />{" "}
      {words.out}
    </>
  );
}

/** An amount as a share of the largest one, from 0 to 1. Pictures need no more digits than a number has. */
export const shareOf = (amount: bigint, largest: bigint): number =>
  largest === 0n ? 1 : Number((amount * PARTS) / largest) / Number(PARTS);

const PARTS = 1_000_000n;
