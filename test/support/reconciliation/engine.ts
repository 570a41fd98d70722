import { DEFAULT_PASSES } from "#modules/reconciliation/core/matching/default-passes.ts";
import { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { DecisionAuthor } from "#modules/reconciliation/matchings/engine/journal.ts";
import type { NewLine } from "#modules/reconciliation/matchings/engine/put-lines.ts";
import type { RunSettings } from "#modules/reconciliation/matchings/engine/settings.ts";
import type { Sql } from "#platform/sql/sql.ts";

export const NOW = "2026-03-01T12:00:00.000000Z";

export const BY: DecisionAuthor = { at: NOW, principal: "{}", request: "request", note: "because" };

export const SETTINGS: RunSettings = {
  passes: DEFAULT_PASSES,
  threshold: 90,
  today: 20_500,
  timingDays: 2,
};

export const openEngine = (sql: Sql): MatchingEngine => new MatchingEngine(sql, () => NOW);

/** Begins a run of lines that its sources have, which get their ids in this order. The run has matched nothing yet. */
export function beginRun(
  engine: MatchingEngine,
  lines: readonly NewLine[],
  settings: RunSettings = SETTINGS,
): number {
  const id = engine.start(settings, { from: 0, to: undefined }, BY);
  engine.collect({ side: "left", lines, position: "end", isLast: true });
  engine.collect({ side: "right", lines: [], position: "end", isLast: true });
  return id;
}

/** Works until the run that has begun ends. */
export function finishRun(engine: MatchingEngine): void {
  while (engine.work());
}
