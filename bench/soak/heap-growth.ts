import { z } from "zod";

/** What the objects of one class, or other things of one kind, have grown by. */
export interface Growth {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
}

/** The members of V8's heap snapshots that are used here. All nodes are in one array, a fixed number of fields each. */
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

/** Names what has grown between two heap snapshots, what has grown most first. */
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
  }) as [number, number, number]; // one for each of the three names
  const sizes = new Map<string, { count: number; bytes: number }>();
  for (let node = 0; node < nodes.length; node += fields.length) {
    const type = types[0][nodes[node + typeAt] ?? -1] ?? "unknown";
    // The name of a text is the text itself; objects have the name of their class.
    const isNamed = type === "object" || type === "closure" || type === "native";
    const name = isNamed ? `${type} ${strings[nodes[node + nameAt] ?? -1] ?? ""}` : type;
    const known = sizes.get(name) ?? { count: 0, bytes: 0 };
    known.count++;
    known.bytes += nodes[node + sizeAt] ?? 0;
    sizes.set(name, known);
  }
  return sizes;
}
