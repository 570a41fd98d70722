import type { FetchNode, FetchTask } from "#modules/payments/connectors/contract.ts";

/** A node of a tree of tasks, with the path by which fetches name it. */
export interface VisitedNode {
  /** The tasks from the root to this node, joined by slashes. */
  readonly path: string;
  readonly task: FetchTask;
  readonly isPeriodic: boolean;
  readonly children: readonly VisitedNode[];
}

/** The nodes below a root in the order in which a run visits them: each node after its parent. */
export function preorderOf(tree: readonly FetchNode[], rootTask: FetchTask): VisitedNode[] {
  const root = tree.find(({ task }) => task === rootTask);
  return root === undefined ? [] : flatten(toWalkNode(root, ""));
}

function toWalkNode({ task, isPeriodic, children }: FetchNode, prefix: string): VisitedNode {
  const path = `${prefix}${task}`;
  return {
    path,
    task,
    isPeriodic,
    children: children.map((child) => toWalkNode(child, `${path}/`)),
  };
}

const flatten = (node: VisitedNode): VisitedNode[] => [node, ...node.children.flatMap(flatten)];
