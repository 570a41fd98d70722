import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { admissionSettings } from "#platform/admission/admission-settings.ts";
import { limitsOf, WORK_KINDS, type WorkKind } from "#platform/admission/work-kinds.ts";
import { inProject } from "#scripts/lib/project.ts";

const page = readFileSync(inProject("docs/limits.md"), "utf8");

test.each(Object.keys(WORK_KINDS) as WorkKind[])(
  "the page of limits has the setting, default and manner of the work %s",
  (kind) => {
    const { setting } = WORK_KINDS[kind];
    const row = page.split("\n").find((line) => line.includes(`| \`${setting}\` |`)) ?? "";
    const [, , , standard, beyond] = row.split("|").map((cell) => cell.trim());
    const places = admissionSettings.parse({})[setting];
    expect(Number(standard)).toBe(places);
    expect(beyond).toBe(mannerOf(limitsOf(kind, places).waitingOfGroup));
  },
);

function mannerOf(waiting: number): string {
  if (waiting === 0) return "429 at once";
  return waiting < 128 ? `waits, in a queue of ${waiting}` : "waits";
}

test("a client has seven eighths of the places alone, and three eighths beside others", () => {
  expect(limitsOf("request", 1024)).toMatchObject({ alone: 896, shared: 384, waitMs: 5000 });
  expect(limitsOf("export", 8)).toMatchObject({ alone: 7, shared: 3, waiting: 0 });
  expect(limitsOf("export", 1)).toMatchObject({ alone: 1, shared: 1 });
});
