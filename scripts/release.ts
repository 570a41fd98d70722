import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { run } from "./lib/main.ts";
import { inProject, OperatorError, ROOT } from "./lib/project.ts";

/**
 * `npm run release -- <what>` makes the records of a release, which tests compare with the code:
 *
 *     hashes    records new migrations of D1, steps of objects and migrations of classes in migrations/hashes.json
 *     fixture   makes the files of this version in test/releases/
 *     freeze    the first release only: makes the baseline of D1 from all tables, replaces all records, makes
 *               the fixture, and marks the version as released, after which records never change
 *
 * `hashes --rewrite` replaces all records, which only works before the first release.
 */
async function release(): Promise<void> {
  const [what, ...options] = process.argv.slice(2);
  if (what === "hashes") return recordHashes({ isRewritten: options.includes("--rewrite") });
  if (what === "fixture") return makeFixture();
  if (what === "freeze") return freeze();
  throw new OperatorError(
    "Name the part: npm run release -- hashes, fixture or freeze. See AGENTS.md.",
  );
}

async function recordHashes({ isRewritten }: { readonly isRewritten: boolean }): Promise<void> {
  const { currentHashes, findChanges, readHashes, writeHashes } =
    await import("./lib/stored/step-hashes.ts");
  const { released, hashes } = readHashes();
  const current = currentHashes();
  if (isRewritten) {
    if (released !== null) throw alreadyReleased(released);
    return writeHashes({ released, hashes: current });
  }
  const known = Object.fromEntries(
    Object.entries(current).filter(([name]) => hashes[name] !== undefined),
  );
  const changes = findChanges(hashes, known);
  if (changes.length > 0) throw new OperatorError(changes.join("\n"));
  writeHashes({ released, hashes: current });
}

async function makeFixture(): Promise<void> {
  const fixture = await import("./lib/release/fixture.ts");
  await fixture.makeFixture((line) => console.log(line));
}

const BASELINE = "release_0_2_0";

async function freeze(): Promise<void> {
  const { currentHashes, readHashes, writeHashes } = await import("./lib/stored/step-hashes.ts");
  const { FLORIN_VERSION } = await import("#platform/upgrade/version.ts");
  const { released } = readHashes();
  if (released !== null) throw alreadyReleased(released);
  for (const name of readdirSync(inProject("migrations"))) {
    if (name.endsWith(".sql")) rmSync(inProject("migrations", name));
  }
  rmSync(inProject("migrations/meta"), { recursive: true, force: true });
  const kit = inProject("node_modules/drizzle-kit/bin.cjs");
  const options = ["generate", "--config", "migrations/drizzle.config.ts", "--name", BASELINE];
  execFileSync(process.execPath, [kit, ...options], { cwd: ROOT, stdio: "inherit" });
  await makeFixture();
  writeHashes({ released: FLORIN_VERSION, hashes: currentHashes() });
}

const alreadyReleased = (version: string): OperatorError =>
  new OperatorError(
    `Florin ${version} is released: the hashes in migrations/hashes.json never change. Add a migration or a step.`,
  );

await run(release);
