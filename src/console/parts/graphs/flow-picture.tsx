import {
  sankey,
  sankeyJustify,
  sankeyLinkHorizontal,
  type SankeyLink,
  type SankeyNode,
} from "d3-sankey";
import { useMemo, useRef } from "react";
import { NodeText, shareOf } from "./flow-node.tsx";
import type { Flow, FlowLink, FlowNode } from "./flows.ts";
import { PictureFrame } from "./picture-frame.tsx";
import { useWidth } from "#console/parts/base/use-width.ts";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";

const BAR_PX = 4;
/** Space between nodes of a column: the two lines of a node's text need it. */
const PADDING_PX = 38;
/** Height that the bars of the fullest column share. */
const BARS_PX = 44;
const MARGIN_PX = 16;
/** The least space between columns. A picture with many columns scrolls. */
const STEP_PX = 136;
/** The least share that a band is drawn with, so that a small amount is still seen. */
const SHARE_MIN = 0.01;

type Node = SankeyNode<FlowNode, Band>;
type Link = SankeyLink<FlowNode, Band>;
interface Band {
  readonly flow: FlowLink;
}

/** Money that goes one way: accounts in columns, and bands between them. */
export function FlowPicture({ flow }: { readonly flow: Flow }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const picture = useMemo(() => layOut(flow, width), [flow, width]);
  return (
    <PictureFrame frame={frame} frameWidth={width} width={picture.width} height={picture.height}>
      <svg width={picture.width} height={picture.height} className="absolute inset-0">
        {picture.links.map((link) => (
          <path
            key={`${link.flow.source} ${link.flow.destination}`}
            d={sankeyLinkHorizontal<FlowNode, Band>()(link) ?? ""}
            fill="none"
            strokeWidth={Math.max(link.width ?? 0, 1)}
            className="stroke-accent opacity-15 hover:opacity-30"
          >
            <title>{titleOf(link.flow, flow)}</title>
          </path>
        ))}
        {picture.nodes.map(({ id, x0 = 0, x1 = 0, y0 = 0, y1 = 0 }) => (
          <rect
            key={id}
            x={x0}
            y={y0}
            width={x1 - x0}
            height={Math.max(y1 - y0, 2)}
            rx={2}
            className="fill-accent"
          />
        ))}
      </svg>
      {picture.nodes.map((node) => (
        <Label key={node.id} node={node} picture={picture} asset={flow.asset} />
      ))}
    </PictureFrame>
  );
}

/** The text of a node: at the right of a bar of the first column, at the left of one of the last column, and above one between them. */
function Label({
  node,
  picture: { width, columns },
  asset,
}: {
  readonly node: Node;
  readonly picture: Picture;
  readonly asset: string;
}) {
  const { x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node;
  const step = (width - BAR_PX) / Math.max(columns - 1, 1);
  const middle = (y0 + y1) / 2;
  const [side, place] =
    x0 < step / 2
      ? ["items-start -translate-y-1/2", { left: x1 + GAP_PX, top: middle }]
      : x1 > width - step / 2
        ? ["items-end text-right -translate-y-1/2", { right: width - x0 + GAP_PX, top: middle }]
        : ["items-center -translate-x-1/2", { left: (x0 + x1) / 2, top: y0 - TEXT_PX }];
  const maxWidth = (columns > 2 ? step : step / 2) - 2 * GAP_PX;
  return (
    <span
      className={`pointer-events-none absolute flex flex-col leading-4 ${side}`}
      style={{ maxWidth, ...place }}
    >
      <NodeText node={node} asset={asset} />
    </span>
  );
}

const GAP_PX = 8;
/** Height of a node's text. */
const TEXT_PX = 36;

interface Picture {
  readonly nodes: readonly Node[];
  readonly links: readonly Link[];
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

function layOut(flow: Flow, frameWidth: number): Picture {
  const { columns, most } = sizeOf(flow);
  const width = Math.max(frameWidth, (columns - 1) * STEP_PX);
  const top = columns > 2 ? TEXT_PX : MARGIN_PX;
  const height = top + MARGIN_PX + BARS_PX + (most - 1) * PADDING_PX;
  const maker = makeLayout().extent([
    [0, top],
    [width, height - MARGIN_PX],
  ]);
  if (columns === 2) maker.nodeSort(byAmount);
  const laid = maker(graphOf(flow));
  return { nodes: laid.nodes, links: laid.links, columns, width, height };
}

/** Nodes that move more come first, and those for accounts without a place come last. */
function byAmount(a: Node, b: Node): number {
  const isOther = Number(a.address === undefined) - Number(b.address === undefined);
  return isOther === 0 ? (b.value ?? 0) - (a.value ?? 0) : isOther;
}

/** How many columns a flow has, and how many nodes the fullest one has. */
function sizeOf(flow: Flow): { columns: number; most: number } {
  const counts = new Map<number, number>();
  for (const { x0 = 0 } of makeLayout()(graphOf(flow)).nodes)
    counts.set(x0, (counts.get(x0) ?? 0) + 1);
  return { columns: counts.size, most: Math.max(...counts.values()) };
}

const makeLayout = () =>
  sankey<FlowNode, Band>()
    .nodeId(({ id }) => id)
    .nodeAlign(sankeyJustify)
    .nodeWidth(BAR_PX)
    .nodePadding(PADDING_PX);

function graphOf({ nodes, links }: Flow) {
  const largest = links.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
  return {
    nodes: nodes.map((node) => ({ ...node })),
    links: links.map((flow) => ({
      flow,
      source: flow.source,
      target: flow.destination,
      value: Math.max(shareOf(flow.amount, largest), SHARE_MIN),
    })),
  };
}

function titleOf({ source, destination, amount }: FlowLink, { asset }: Flow): string {
  const [from, to] = [source, destination].map((id) => id.slice(id.lastIndexOf(" ") + 1));
  return `${from} → ${to}: ${formatAmount(amount, asset, locale)}`;
}
