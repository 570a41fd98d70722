import { z } from "zod";

/** The growth of a class of objects, or of another kind of nodes. */
export interface Growth {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
}

/** The members of V8's heap snapshots that the bench uses. All nodes are in one array, with a fixed number of fields each. */
const Snapshot = z.object({
  snapshot: z.object({
    meta: z.object({
      node_fields: z.array(z.string()),
      node_types: z.tuple([z.array(z.string())]).rest(z.unknown()),
    }),
  }),
  nodes: z.array(z.number()),
  strings: z.array(z.string()),
});

/** The growth between two heap snapshots by class or kind, largest first. */
export function heapGrowth(before: string, after: string): Growth[] {
  const [old, now] = [sizesOf(before), sizesOf(after)];
  return [...now]
    .map(([name, { count, bytes }]) => {
      const known = old.get(name);
      return { name, count: count - (known?.count ?? 0), bytes: bytes - (known?.bytes ?? 0) };
    })
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes);
}

/** The number and size of all nodes, by class or kind. */
function sizesOf(text: string): Map<string, { count: number; bytes: number }> {
  const { snapshot, nodes, strings } = Snapshot.parse(JSON.parse(text));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, nameAt, sizeAt] = ["type", "name", "self_size"].map((name) => {
    const at = fields.indexOf(name);
    if (at === -1) throw new Error(`the nodes of a heap snapshot have no ${name}`);
    return at;
  }) as [number, number, number]; // The list has an index for each of the three names.
  const sizes = new Map<string, { count: number; bytes: number }>();
  for (let node = 0; node < nodes.length; node += fields.length) {
    const type = types[0][nodes[node + typeAt] ?? -1] ?? "unknown";
    // The name of a string node is the string itself; objects have the names of their classes.
    const isNamed = type === "object" || type === "closure" || type === "native";
    const name = isNamed ? `${type} ${strings[nodes[node + nameAt] ?? -1] ?? ""}` : type;
    const known = sizes.get(name) ?? { count: 0, bytes: 0 };
    known.count++;
    known.bytes += nodes[node + sizeAt] ?? 0;
    sizes.set(name, known);
  }
  return sizes;
}
