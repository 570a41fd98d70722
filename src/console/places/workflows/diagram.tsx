import { lazy, Suspense, useMemo } from "react";
import type { StageView } from "./stages.ts";
import { workflowWords } from "./words.ts";
import type { Tone } from "#console/parts/base/status.tsx";
import type { GraphEdge, GraphNode } from "#console/parts/graphs/stage-graph.tsx";

const StageGraph = lazy(async () => ({
  default: (await import("#console/parts/graphs/stage-graph.tsx")).StageGraph,
}));

/** Most stages of a diagram. A longer workflow is read as its list. */
const DRAWN_MAX = 60;

/** The stages of a workflow as a picture, with the places between which they move money. */
export function Diagram({
  stages,
  tones,
}: {
  readonly stages: readonly StageView[];
  /** How the stages of an instance are, by their places in the workflow. */
  readonly tones?: ReadonlyMap<number, Tone>;
}) {
  const { nodes, edges } = useMemo(() => toGraph(stages, tones), [stages, tones]);
  if (stages.length === 0 || stages.length > DRAWN_MAX) return null;
  return (
    <div className="min-h-40 overflow-hidden rounded-md border border-line">
      <Suspense>
        <StageGraph label={workflowWords().detail.diagramLabel} nodes={nodes} edges={edges} />
      </Suspense>
    </div>
  );
}

/** The graph of stages in their order, and of the places that they send from and to. A place that several stages name is one node. */
export function toGraph(
  stages: readonly StageView[],
  tones: ReadonlyMap<number, Tone> = new Map(),
): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
  const places = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  const placeOf = ({ kind, text }: { readonly kind: string; readonly text: string }): string => {
    const id = `${kind} ${text}`;
    places.set(id, { id, kind: "place", title: text });
    return id;
  };
  const nodes = stages.map(({ number, kind, title, from, to }, index): GraphNode => {
    const id = `stage ${number}`;
    if (index > 0)
      edges.push({ id: `next ${number}`, from: `stage ${number - 1}`, to: id, isMoney: false });
    if (from !== undefined)
      edges.push({ id: `from ${number}`, from: placeOf(from), to: id, isMoney: true });
    if (to !== undefined)
      edges.push({ id: `to ${number}`, from: id, to: placeOf(to), isMoney: true });
    return { id, kind: "stage", title: `${number}. ${title}`, note: kind, tone: tones.get(index) };
  });
  return { nodes: [...nodes, ...places.values()], edges };
}
