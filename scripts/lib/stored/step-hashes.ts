import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { OBJECT_STEPS } from "./object-steps.ts";
import type { Step } from "#platform/sql/step.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { inProject } from "#scripts/lib/project.ts";

const Hashes = z.record(z.string(), z.string());

/** The contents of `migrations/hashes.json`: a hash of each migration and step, which never change, by its name. */
const HashFile = z.object({
  /** The last released version; null before the first release. After a release, recorded hashes must not change. */
  released: z.string().nullable(),
  hashes: Hashes,
});
export type HashRecord = z.output<typeof HashFile>;

const FILE = inProject("migrations/hashes.json");

export const readHashes = (): HashRecord => HashFile.parse(JSON.parse(readFileSync(FILE, "utf8")));

export const writeHashes = (record: HashRecord): void =>
  writeFileSync(FILE, `${JSON.stringify(record, undefined, 2)}\n`);

/**
 * The hashes of the current code: each migration of D1, each step of the tables of objects, and each migration of classes of wrangler.toml.
 * The code of a step's work on rows is not hashed, because it may be fixed; states of releases test its effect.
 */
export function currentHashes(): z.output<typeof Hashes> {
  const database = MIGRATIONS.map((name): [string, string] => [
    `D1 migration ${name}`,
    hashOf(readFileSync(inProject("migrations", name), "utf8")),
  ]);
  const objects = Object.entries(OBJECT_STEPS).flatMap(([name, steps]) =>
    steps.map((step, index): [string, string] => [
      `step ${index + 1} of ${name}`,
      hashOf(JSON.stringify(formOf(step))),
    ]),
  );
  return Object.fromEntries([...database, ...objects, ...classMigrations()]);
}

const formOf = ({ name, statements, fresh, rows, isAddition }: Step) => ({
  name,
  statements,
  fresh,
  rows: rows === undefined ? undefined : { isServedMeanwhile: rows.isServedMeanwhile },
  isAddition,
});

/** The blocks `[[migrations]]` of wrangler.toml by their tags. The platform applies each block once. */
function classMigrations(): [string, string][] {
  const text = readFileSync(inProject("wrangler.toml"), "utf8");
  return [...text.matchAll(/^\[\[migrations\]\]\n((?:.+\n)+)/gm)].map(([, block = ""]) => {
    const [, tag = ""] = /^tag = "(.+)"$/m.exec(block) ?? [];
    return [`class migration ${tag}`, hashOf(block)];
  });
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The differences of the current hashes from the recorded ones, a sentence each. */
export function findChanges(
  recorded: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
): string[] {
  const changed = Object.entries(recorded).flatMap(([name, hash]) => {
    if (current[name] === hash) return [];
    const what = current[name] === undefined ? "is gone" : "has changed";
    return [
      `The ${name} ${what}. Existing states were made with the recorded text, and a change of it would not reach them: restore it, and add a new step after the last one.`,
    ];
  });
  const unrecorded = Object.keys(current).filter((name) => recorded[name] === undefined);
  return [
    ...changed,
    ...unrecorded.map(
      (name) => `The ${name} is not recorded. Record it: npm run release -- hashes`,
    ),
  ];
}
