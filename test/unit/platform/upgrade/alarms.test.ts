import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inProject } from "#scripts/lib/project.ts";

/** Objects whose alarms use no table of D1. */
const WITHOUT_TABLES = [
  "modules/auth/limits/attempt-limit-object.ts",
  "modules/events/event-stream-object.ts",
];

test("the alarm of every object that works on D1 is put off where the state is not this code's", () => {
  const files = readdirSync(inProject("src"), { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file, text: readFileSync(join(inProject("src"), file), "utf8") }));
  const alarms = texts.filter(({ text }) => /override (?:async )?alarm\(/.test(text));
  expect(alarms.length).toBeGreaterThan(WITHOUT_TABLES.length);
  const unguarded = alarms.filter(({ text }) => !text.includes("await isPutOff("));
  expect(unguarded.map(({ file }) => file).toSorted()).toEqual(WITHOUT_TABLES);
});
