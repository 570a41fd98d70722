import type { FetchNode, FetchTask } from "#modules/payments/connectors/contract.ts";

/** A node of a tree of tasks, with the path by which fetches name it. */
export interface WalkNode {
  /** The tasks from the root to this node, joined by slashes. */
  readonly path: string;
  readonly task: FetchTask;
  readonly isPeriodic: boolean;
  readonly children: readonly WalkNode[];
}

/** The nodes below a root in the order in which a run visits them: each node after its parent. */
export function walkOf(tree: readonly FetchNode[], rootTask: FetchTask): WalkNode[] {
  const root = tree.find(({ task }) => task === rootTask);
  return root === undefined ? [] : flatten(toWalkNode(root, ""));
}

function toWalkNode({ task, isPeriodic, children }: FetchNode, prefix: string): WalkNode {
  const path = `${prefix}${task}`;
  return {
    path,
    task,
    isPeriodic,
    children: children.map((child) => toWalkNode(child, `${path}/`)),
  };
}

const flatten = (node: WalkNode): WalkNode[] => [node, ...node.children.flatMap(flatten)];
