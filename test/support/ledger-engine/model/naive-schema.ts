import type { LogEntry, Metadata } from "#ledger-engine/rules/types.ts";

type Node = Readonly<Record<string, unknown>>;

/** The model's implementation of a schema. It walks through the chart for each question. */
export class NaiveSchema {
  readonly #chart: Node;
  /** The names of the schema's transaction templates. */
  readonly templates: readonly string[];

  constructor(text: string) {
    const { chart, transactions = {} } = JSON.parse(text) as { chart: Node; transactions?: Node }; // a checked schema has these members
    this.#chart = chart;
    this.templates = Object.keys(transactions);
  }

  allows(address: string): boolean {
    return this.#find(address) !== undefined;
  }

  /** The default metadata of a new account. */
  defaultsOf(address: string): Metadata {
    const metadata = memberOf(this.#find(address) ?? {}, ".metadata") ?? {};
    const pairs = Object.entries(metadata).map(([key, value]) => [
      key,
      memberOf(value as Node, "default"),
    ]); // nodes of a checked chart
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as Metadata; // default metadata are texts
  }

  /** The node of the chart for an account; undefined for an account that the chart forbids. */
  #find(address: string): Node | undefined {
    let node = this.#chart;
    for (const segment of address.split(":")) {
      const next = memberOf(node, segment) ?? variableOf(node, segment);
      if (next === undefined) return undefined;
      node = next;
    }
    const isLeaf = Object.keys(node).every((name) => name.startsWith("."));
    return isLeaf || Object.hasOwn(node, ".self") ? node : undefined;
  }
}

function variableOf(node: Node, segment: string): Node | undefined {
  const name = Object.keys(node).find((key) => key.startsWith("$"));
  const variable = name === undefined ? undefined : memberOf(node, name);
  const pattern = (variable?.[".pattern"] ?? "") as string; // a pattern of a checked chart is a text
  return new RegExp(pattern).test(segment) ? variable : undefined;
}

const memberOf = (node: Node, name: string): Node | undefined =>
  Object.hasOwn(node, name) ? (node[name] as Node) : undefined; // members of a checked chart are nodes

/** The schemas of a log, up to one of its entries. */
export class NaiveSchemas {
  readonly #schemas: ReadonlyMap<string, NaiveSchema>;

  constructor(schemas: ReadonlyMap<string, NaiveSchema> = new Map()) {
    this.#schemas = schemas;
  }

  /** The schemas after another entry. */
  after({ data }: Pick<LogEntry, "data">): NaiveSchemas {
    if (data.type !== "INSERTED_SCHEMA") return this;
    const { version, text } = data.schema;
    return new NaiveSchemas(new Map([...this.#schemas, [version, new NaiveSchema(text)]]));
  }

  get versions(): readonly string[] {
    return [...this.#schemas.keys()];
  }

  find(version: string): NaiveSchema | undefined {
    return this.#schemas.get(version);
  }

  /** The default metadata of an account that an entry makes. */
  defaultsOf({ schemaVersion = "" }: Pick<LogEntry, "schemaVersion">, address: string): Metadata {
    return this.find(schemaVersion)?.defaultsOf(address) ?? {};
  }
}
