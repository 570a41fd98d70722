import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { FAMILIES, type MetricFamily } from "#platform/status/families.ts";
import { sampleNames } from "#platform/status/open-metrics.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const read = (file: string): string => readFileSync(resolve(ROOT, file), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly w: number };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const { groups } = parse(read("docs/operations/alerts.yaml")) as {
  groups: readonly { rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("docs/operations/dashboard.json")) as Dashboard;
const runbook = read("docs/operations/runbook.md");

const families = Object.values(FAMILIES);
const NAMES = new Set(families.flatMap((family: MetricFamily) => sampleNames(family)));
const LABELS = new Set(["le", ...families.flatMap(({ labels }): readonly string[] => labels)]);

/** The kinds of work that modules declare, and the sections of objects. */
const DECLARED = new Set(
  ["src/modules", "src/platform"].flatMap((folder) =>
    readdirSync(resolve(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => {
        const text = read(`${folder}/${file}`);
        return [...text.matchAll(/(?:\bwork: |_BACKLOG = )"([a-z-]+)"/g)].map(([, name]) => name);
      }),
  ),
);

/** What is wrong with an expression of PromQL: names of metrics, labels or kinds of work that do not exist. */
function problemsOf(expr: string): string[] {
  const names = [...expr.matchAll(/\bflorin_\w+/g)].map(([name]) => name);
  const matchers = [...expr.matchAll(/(\w+)(=~|=|!=|!~)"([^"]*)"/g)];
  const values = matchers.flatMap(([, label, , value = ""]) =>
    label === "work" || label === "kind" ? value.split("|") : [],
  );
  return [
    ...names.filter((name) => !NAMES.has(name)),
    ...matchers.map(([, label = ""]) => label).filter((label) => !LABELS.has(label)),
    ...values.filter((value) => !DECLARED.has(value)),
    ...(names.length === 0 ? [`${expr} names no metric`] : []),
  ];
}

describe("the alert rules", () => {
  test("the alert rules have distinct names, durations and severities", () => {
    const names = rules.map(({ alert }) => alert);
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
    for (const rule of rules) {
      expect(rule.for).toMatch(/^\d+[mh]$/);
      expect(["warning", "critical"]).toContain(rule.labels.severity);
    }
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    "the alert rules name metrics, labels and work that exist: %s",
    (_alert, { expr, annotations }) => {
      expect(problemsOf(expr)).toEqual([]);
      const labels = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, name]) => name);
      expect(labels.filter((name = "") => !LABELS.has(name))).toEqual([]);
    },
  );

  test("the alert rules have a section each in the runbook, with what the alert means and what to do", () => {
    const sections = runbook.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(
      rules.map(({ alert }) => alert),
    );
    for (const [index, { alert, annotations, labels }] of rules.entries()) {
      expect(annotations.runbook).toBe(`docs/operations/runbook.md#${alert.toLowerCase()}`);
      const [, means = "", ...rest] = sections[index]?.split("\n\n") ?? [];
      expect(means.toLowerCase().startsWith(`${labels.severity}. `)).toBe(true);
      expect(rest.join("")).toMatch(/^- \S/);
    }
  });
});

describe("the dashboard", () => {
  test("the dashboard has panels that fit its grid", () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  });

  test.each(dashboard.panels.map((panel) => [panel.title, panel] as const))(
    "the dashboard names metrics and labels that exist: %s",
    (_title, { targets }) => {
      for (const { expr, legendFormat } of targets) {
        expect(problemsOf(expr)).toEqual([]);
        const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
        expect(labels.filter((name = "") => !LABELS.has(name))).toEqual([]);
      }
    },
  );

  test("the dashboard or an alert shows every metric", () => {
    const shown = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ].join("\n");
    expect([...NAMES].filter((name) => !shown.includes(name))).toEqual([]);
  });
});
