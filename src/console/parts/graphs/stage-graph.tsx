// oxlint-disable-next-line import/no-unassigned-import -- A style sheet has no name.
import "@xyflow/react/dist/base.css";
import { type EdgeLabel, type GraphLabel, graphlib, layout, type NodeLabel } from "@dagrejs/dagre";
import {
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from "@xyflow/react";
import { useMemo } from "react";
import { useMediaQuery } from "#console/parts/base/media-query.ts";
import { toneClass, ToneIcon, type Tone } from "#console/parts/base/status.tsx";
import { visible } from "#console/parts/language/visible.ts";

/** A stage, or a place where money lies. */
export interface GraphNode {
  readonly id: string;
  readonly kind: "stage" | "place";
  readonly title: string;
  readonly note?: string;
  readonly tone?: Tone | undefined;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Whether money goes along the edge; otherwise it says what comes next. */
  readonly isMoney: boolean;
}

interface GraphProps {
  /** What the picture shows, for screen readers. The page has the same in a list. */
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Stages and the places between which they move money, laid out by layers. */
export function StageGraph({ label, nodes, edges }: GraphProps) {
  const isPhone = useMediaQuery("(width < 40rem)");
  const { placed, height } = useMemo(
    () => layOut(nodes, edges, isPhone ? "TB" : "LR"),
    [nodes, edges, isPhone],
  );
  const lines = useMemo(() => edges.map(toLine), [edges]);
  return (
    <div
      role="img"
      aria-label={label}
      className="stage-graph w-full"
      style={{ height: Math.min(Math.max(height, HEIGHT_MIN_PX), HEIGHT_MAX_PX) }}
    >
      <ReactFlow
        key={isPhone ? "TB" : "LR"}
        nodes={placed}
        edges={lines}
        nodeTypes={NODE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        disableKeyboardA11y
        fitView
        fitViewOptions={{ padding: 0.04, maxZoom: 1 }}
        minZoom={0.1}
        proOptions={{ hideAttribution: true }}
      />
    </div>
  );
}

const HEIGHT_MIN_PX = 160;
const HEIGHT_MAX_PX = 520;
/** The sizes of nodes, which the layout has to know before anything is drawn. */
const SIZES = { stage: { width: 210, height: 58 }, place: { width: 170, height: 40 } } as const;

type Direction = "TB" | "LR";
type StageNode = Node<{ readonly node: GraphNode; readonly direction: Direction }, "graph">;

function layOut(nodes: readonly GraphNode[], edges: readonly GraphEdge[], direction: Direction) {
  const graph = new graphlib.Graph<GraphLabel, NodeLabel, EdgeLabel>({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 24, ranksep: 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, kind } of nodes) graph.setNode(id, { ...SIZES[kind] });
  for (const { id, from, to } of edges) graph.setEdge(from, to, {}, id);
  layout(graph);
  const placed = nodes.map((node): StageNode => {
    const { x = 0, y = 0 } = graph.node(node.id);
    const { width, height } = SIZES[node.kind];
    return {
      id: node.id,
      type: "graph",
      position: { x: x - width / 2, y: y - height / 2 },
      width,
      height,
      data: { node, direction },
    };
  });
  return { placed, height: graph.graph().height ?? HEIGHT_MIN_PX };
}

const toLine = ({ id, from, to, isMoney }: GraphEdge): Edge => {
  const color = isMoney ? "var(--color-coin)" : "var(--color-faint)";
  return {
    id,
    source: from,
    target: to,
    type: "smoothstep",
    style: { stroke: color, strokeWidth: isMoney ? 2 : 1.5 },
    markerEnd: { type: MarkerType.ArrowClosed, color },
  };
};

function GraphBox({ data: { node, direction } }: NodeProps<StageNode>) {
  const { kind, title, note, tone } = node;
  const [start, end] =
    direction === "LR" ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom];
  return (
    <div
      title={note === undefined ? title : `${title}\n${note}`}
      className={`flex h-full w-full flex-col justify-center border px-3 text-left ${kind === "stage" ? "rounded-lg border-line-strong bg-raised" : "rounded-full border-line bg-sunken text-muted"}`}
    >
      <Handle type="target" position={start} isConnectable={false} className="opacity-0" />
      <span className="flex min-w-0 items-center gap-1.5">
        {tone !== undefined && (
          <span className={`shrink-0 ${toneClass(tone)}`}>
            <ToneIcon tone={tone} size={14} />
          </span>
        )}
        <span
          className={`truncate [unicode-bidi:isolate] ${kind === "stage" ? "font-medium" : "font-mono text-note"}`}
        >
          {visible(title)}
        </span>
      </span>
      {note !== undefined && (
        <span className="truncate text-note text-muted [unicode-bidi:isolate]">
          {visible(note)}
        </span>
      )}
      <Handle type="source" position={end} isConnectable={false} className="opacity-0" />
    </div>
  );
}

const NODE_TYPES = { graph: GraphBox };
