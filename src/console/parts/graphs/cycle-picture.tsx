import { graphlib, layout } from "@dagrejs/dagre";
import { RotateCw } from "lucide-react";
import { useId, useMemo, useRef } from "react";
import { NodeText, shareOf } from "./flow-node.tsx";
import type { Flow, FlowLink, FlowNode } from "./flows.ts";
import { PictureFrame } from "./picture-frame.tsx";
import { useWidth } from "#console/parts/base/use-width.ts";
import { Money } from "#console/parts/money/money.tsx";

const NODE = { width: 168, height: 46 };
const LABEL = { width: 96, height: 20 };
/** Width of a frame below which the picture goes from top to bottom, in pixels. */
const NARROW_PX = 560;
const STROKE_MAX_PX = 5;

/** Money that comes back to where it was: accounts as boxes, and arrows between them. */
export function CyclePicture({ flow }: { readonly flow: Flow }) {
  const frame = useRef<HTMLDivElement>(null);
  const arrow = useId();
  const width = useWidth(frame);
  const isNarrow = width < NARROW_PX;
  const picture = useMemo(() => layOut(flow, isNarrow ? "TB" : "LR"), [flow, isNarrow]);
  const { asset } = flow;
  return (
    <PictureFrame frame={frame} frameWidth={width} width={picture.width} height={picture.height}>
      <svg width={picture.width} height={picture.height} className="absolute inset-0 text-accent">
        <marker
          id={arrow}
          viewBox="0 0 8 8"
          refX={7}
          refY={4}
          markerWidth={8}
          markerHeight={8}
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0.5 8 4 0 7.5z" fill="currentColor" />
        </marker>
        {picture.arrows.map(({ link, points, stroke }) => (
          <path
            key={keyOf(link)}
            d={curve(points)}
            fill="none"
            stroke="currentColor"
            strokeOpacity={0.6}
            strokeWidth={stroke}
            markerEnd={`url(#${arrow})`}
          />
        ))}
      </svg>
      {picture.arrows.map(({ link, x, y }) => (
        <span
          key={keyOf(link)}
          className="absolute -translate-1/2 rounded bg-canvas px-1 text-note"
          style={{ left: x, top: y }}
        >
          <Money amount={link.amount} asset={asset} />
        </span>
      ))}
      {picture.boxes.map(({ node, toItself, x, y }) => (
        <div
          key={node.id}
          className="absolute flex -translate-1/2 flex-col items-start justify-center rounded-md border border-line-strong bg-raised px-2.5 leading-4"
          style={{ left: x, top: y, ...NODE }}
        >
          <NodeText node={node} asset={asset} />
          {toItself !== undefined && (
            <span className="absolute right-2 -top-2.5 inline-flex items-center gap-1 rounded bg-canvas px-1 text-note">
              <RotateCw size={11} className="text-accent" />
              <Money amount={toItself} asset={asset} />
            </span>
          )}
        </div>
      ))}
    </PictureFrame>
  );
}

const keyOf = ({ source, destination }: FlowLink): string => `${source}\n${destination}`;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Picture {
  readonly boxes: readonly ({
    readonly node: FlowNode;
    /** What the account has sent to itself, which has no arrow. */
    readonly toItself: bigint | undefined;
  } & Point)[];
  readonly arrows: readonly ({
    readonly link: FlowLink;
    readonly points: readonly Point[];
    readonly stroke: number;
  } & Point)[];
  readonly width: number;
  readonly height: number;
}

function layOut({ nodes, links: all }: Flow, direction: "LR" | "TB"): Picture {
  const links = all.filter(({ source, destination }) => source !== destination);
  const loops = new Map(all.map((link) => [keyOf(link), link.amount]));
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 24, ranksep: 40, marginx: 8, marginy: 12 });
  for (const { id } of nodes) graph.setNode(id, { ...NODE });
  for (const { source, destination } of links)
    graph.setEdge(source, destination, { ...LABEL, labelpos: "c" });
  layout(graph);
  const largest = links.reduce((most, { amount }) => (amount > most ? amount : most), 0n);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    // The layout gives each node and edge its place.
    boxes: nodes.map((node) => ({
      node,
      toItself: loops.get(`${node.id}\n${node.id}`),
      ...pointOf(graph.node(node.id) as Point),
    })),
    arrows: links.map((link) => {
      const edge = graph.edge(link.source, link.destination) as { points: Point[] } & Point;
      const stroke = Math.max(shareOf(link.amount, largest) * STROKE_MAX_PX, 1);
      return { link, points: edge.points, stroke, ...pointOf(edge) };
    }),
    width,
    height,
  };
}

const pointOf = ({ x, y }: Point): Point => ({ x, y });

/** A smooth line through points: quadratic curves between the middles of its legs. */
function curve([first, ...others]: readonly Point[]): string {
  if (first === undefined) return "";
  const last = others.at(-1) ?? first;
  const bends = others.slice(0, -1).map((point, index) => {
    const next = others[index + 1] ?? last;
    return `Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`;
  });
  return `M${first.x} ${first.y} ${bends.join(" ")} L${last.x} ${last.y}`;
}
