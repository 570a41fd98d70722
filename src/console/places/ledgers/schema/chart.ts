/** A segment of the chart of accounts of a schema, with those below it. */
export interface ChartNode {
  /** The text of the segment, or the name of a variable one, such as `$user`. */
  readonly segment: string;
  /** The regular expression of a variable segment. */
  readonly pattern: string | undefined;
  /** Whether accounts may end here. */
  readonly isAccount: boolean;
  /** The metadata that new accounts get, by key. */
  readonly metadata: readonly (readonly [key: string, value: string | undefined])[];
  readonly children: readonly ChartNode[];
}

/** The chart of a schema as a tree. Members that begin with a dot say something of their segment, all others are segments below it. */
export const chartOf = (chart: unknown): readonly ChartNode[] =>
  segmentsOf(chart).map(([segment, value]) => nodeOf(segment, value));

function nodeOf(segment: string, value: unknown): ChartNode {
  const children = segmentsOf(value).map(([name, below]) => nodeOf(name, below));
  const members = membersOf(value);
  const { ".pattern": pattern, ".self": self, ".metadata": metadata } = members;
  return {
    segment,
    pattern: typeof pattern === "string" ? pattern : undefined,
    isAccount: children.length === 0 || self !== undefined,
    metadata: Object.entries(membersOf(metadata)).map(([key, rule]) => {
      const { default: standard } = membersOf(rule);
      return [key, typeof standard === "string" ? standard : undefined] as const;
    }),
    children,
  };
}

const segmentsOf = (value: unknown): [string, unknown][] =>
  Object.entries(membersOf(value)).filter(([name]) => !name.startsWith("."));

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>) // Any object has members.
    : {};
