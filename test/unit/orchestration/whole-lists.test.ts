import { describe, expect, test } from "vitest";
import { allInPages } from "#modules/orchestration/http/lists.ts";
import { listInstances } from "#modules/orchestration/instances/list.ts";
import { listOccurrences } from "#modules/orchestration/triggers/list-occurrences.ts";
import { listTriggers } from "#modules/orchestration/triggers/list.ts";
import { listWorkflows } from "#modules/orchestration/workflows/list.ts";
import { ANONYMOUS } from "#platform/context.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

/** Lists of the first generation show all rows, and hold few of them in memory at a time. */

const COUNT = 230;
const ROWS_AT_ONCE = 100;
const NOW = "2026-03-01T00:00:00.000000Z";

/** A database in which each list has `COUNT` rows, and as many that it does not show. */
function filled(): NodeD1 {
  const d1 = new NodeD1();
  d1.migrate();
  const fill = (table: string, columns: string, values: string) =>
    d1.rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${2 * COUNT})
       INSERT INTO ${table} (${columns}) SELECT ${values} FROM n`,
    );
  fill(
    "orchestration_workflows",
    "id, config, ledgers, created_at, deleted_at",
    `'w-' || i, '{"stages":[]}', '[]', '${NOW}', iif(i % 2 = 0, '${NOW}', NULL)`,
  );
  fill(
    "orchestration_instances",
    "id, workflow_key, variables, principal, created_at, updated_at, terminated_at, stage, run, round, change_id",
    `'i-' || i, 1, '{}', '{"ledgers":[]}', '${NOW}', '${NOW}', iif(i % 2 = 0, '${NOW}', NULL), 1, 1, 1, ''`,
  );
  fill(
    "orchestration_triggers",
    "id, name, event, workflow_key, vars, principal, created_at, deleted_at",
    `'t-' || i, 'name', 'SAVED', 1, '{}', '{"ledgers":[]}', '${NOW}', iif(i % 2 = 0, '${NOW}', NULL)`,
  );
  fill(
    "orchestration_occurrences",
    "id, trigger_key, dedup_key, date, event, state, attempts",
    `'o-' || i, iif(i % 2 = 0, 2, 1), 'f-' || i, '${NOW}', '{}', 'done', 1`,
  );
  return d1;
}

type Read = (query: PageQuery) => Promise<Page<{ readonly key: number; readonly id: string }>>;

describe("a list of all", () => {
  const d1 = filled();
  const context = {
    env: { DB: d1.binding } as unknown as Env, // lists use only the database
    principal: ANONYMOUS,
  };
  const LISTS: readonly { mark: string; read: Read; match?: object }[] = [
    { mark: "w", read: (query) => listWorkflows(context, query) },
    { mark: "i", read: (query) => listInstances(context, query), match: { running: "true" } },
    { mark: "t", read: (query) => listTriggers(context, query), match: { name: "AM" } },
    { mark: "o", read: (query) => listOccurrences(context, query), match: { trigger: "t-1" } },
  ];

  test.each(LISTS)(
    "a list of all of $mark-… has each once, and holds few at a time",
    async ({ mark, read, match }) => {
      const statements: string[] = [];
      d1.onStatement = (text) => statements.push(text);
      const where = match === undefined ? undefined : stringifyJson({ $match: match });
      const pages = allInPages(read, ({ id }) => id, where);
      const sizes: number[] = [];
      const found: string[] = [];
      for await (const page of pages) {
        sizes.push(page.length);
        found.push(...page);
        expect(statements, "a page is read when it is asked for").toHaveLength(sizes.length);
      }
      d1.onStatement = () => undefined;
      expect(sizes).toEqual([ROWS_AT_ONCE, ROWS_AT_ONCE, COUNT - 2 * ROWS_AT_ONCE]);
      expect(found).toEqual(Array.from({ length: COUNT }, (_each, at) => `${mark}-${2 * at + 1}`));
    },
  );
});
