import type { Node } from "#expr/syntax/ast.ts";

/** Visits a node and its descendants in preorder. The children of a node for which `visit` returns false are left out. */
export function walk(node: Node, visit: (node: Node) => boolean): void {
  if (!visit(node)) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "literal":
    case "local":
    case "name":
    case "environment":
    case "pointer":
      return [];
    case "array":
      return node.items;
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "unary":
      return [node.operand];
    case "binary":
    case "coalesce":
      return [node.left, node.right];
    case "logical":
    case "comparison":
      return node.operands;
    case "match":
      return "kind" in node.pattern ? [node.text, node.pattern] : [node.text];
    case "conditional":
      return [node.condition, node.whenTrue, node.whenFalse];
    case "let":
      return [node.value, node.body];
    case "sequence":
      return node.nodes;
    case "member":
      return [node.object, node.key];
    case "slice":
      return present([node.object, node.from, node.to]);
    case "chain":
      return [node.node];
    case "call":
      return node.args;
    case "predicateCall":
      return present([node.array, node.predicate, node.extra]);
    case "method":
      return [node.object, ...node.args];
  }
}

const present = (nodes: readonly (Node | undefined)[]): Node[] =>
  nodes.filter((node) => node !== undefined);
