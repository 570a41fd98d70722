import type { MetricFamily } from "./families.ts";
import type { HistogramPart, Sample } from "./section.ts";

/** The content type of OpenMetrics 1.0. */
export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/**
 * Samples as text of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/): families without a gap, each with its
 * metadata, and `# EOF` at the end. Of samples with equal names and labels, the last one counts.
 */
export function toOpenMetrics(samples: readonly Sample[]): string {
  const byFamily = new Map<MetricFamily, Map<string, number>>();
  for (const { family, labels, value, part } of samples) {
    const lines = byFamily.get(family) ?? new Map<string, number>();
    byFamily.set(family, lines);
    lines.set(`${sampleName(family, part)}${labelSet(family, labels)}`, value);
  }
  const texts = [...byFamily].map(([family, lines]) => familyText(family, lines));
  return `${texts.join("")}# EOF\n`;
}

/** The name of a family's samples, which queries use. */
export const sampleName = ({ name, type }: MetricFamily, part?: HistogramPart): string => {
  if (part !== undefined) return `${name}_${part}`;
  return type === "counter" ? `${name}_total` : name;
};

/** All names of a family's samples. */
export const sampleNames = (family: MetricFamily): readonly string[] =>
  family.type === "histogram"
    ? HISTOGRAM_PARTS.map((part) => sampleName(family, part))
    : [sampleName(family)];

const HISTOGRAM_PARTS = ["bucket", "count", "sum"] as const satisfies readonly HistogramPart[];

function familyText(
  { name, type, unit, help }: MetricFamily,
  lines: ReadonlyMap<string, number>,
): string {
  const metadata = [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
  ];
  const values = [...lines].map(([key, value]) => `${key} ${value}`);
  return [...metadata, ...values].map((line) => `${line}\n`).join("");
}

function labelSet({ labels }: MetricFamily, values: Sample["labels"]): string {
  const names = values.le === undefined ? labels : [...labels, "le"];
  if (names.length === 0) return "";
  return `{${names.map((label) => `${label}="${escaped(values[label] ?? "")}"`).join(",")}}`;
}

const escaped = (text: string): string =>
  text.toWellFormed().replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
