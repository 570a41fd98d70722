import { existsSync } from "node:fs";
import { join } from "node:path";
import { compareMigrations, type MigrationsState } from "#platform/upgrade/migrations.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";
import type { Call, Noun, Outcome } from "#scripts/florin/command.ts";
import { commandOf, HOME } from "#scripts/lib/place.ts";
import { statePath } from "#scripts/lib/state.ts";
import { readMigrationsIn } from "#scripts/lib/stored/database-file.ts";
import {
  type ObjectProgress,
  readObjects,
  whyObjectsRefused,
} from "#scripts/lib/stored/object-files.ts";
import { OBJECT_STEPS } from "#scripts/lib/stored/object-steps.ts";
import { readStateVersion, whyFolderRefused } from "#scripts/lib/stored/state-version.ts";

export const noun: Noun = {
  summary: "Upgrades",
  verbs: {
    check: {
      summary: "Says what this version would do with a state, and changes nothing",
      options: {
        remote: {
          kind: "flag",
          meaning: "the D1 database of a deployment at Cloudflare; without it, the state folder",
        },
        env: {
          kind: "text",
          meaning:
            "the environment of the deployment, as for `npm run deploy`; production by default",
        },
      },
      run: (call) =>
        call.flag("remote") ? checkRemote(call) : checkFolder(statePath(call.env, HOME)),
    },
  },
};

/** Checks a state folder, which a server may be using. */
async function checkFolder(path: string): Promise<Outcome> {
  const version = readStateVersion(path);
  const dataPath = join(path, "v3");
  const heading = `This is Florin ${FLORIN_VERSION}. The state folder is ${path}.`;
  if (version === undefined && !existsSync(dataPath)) {
    return {
      data: { florin: FLORIN_VERSION, folder: path, isNew: true },
      lines: [heading, `No state is there yet: ${commandOf("start")} makes a new one.`],
    };
  }
  const folderRefusal = whyFolderRefused(path);
  const migrations = compareMigrations(readMigrationsIn(dataPath));
  const objects = readObjects(dataPath);
  const refusal = folderRefusal ?? refusalOf(migrations) ?? whyObjectsRefused(objects);
  const used =
    version === undefined
      ? "The state does not say which version used it last."
      : `Florin ${version.florin} used the state last; the format of the state is ${version.format}.`;
  const data = {
    florin: FLORIN_VERSION,
    folder: path,
    usedBy: version ?? null,
    missingMigrations: migrations.kind === "behind" ? migrations.missing : [],
    objects: objects.map(({ className, known, countByStep }) => ({
      className,
      lastStep: known,
      countByStep: Object.fromEntries(countByStep),
    })),
    refusal: refusal ?? null,
  };
  if (refusal !== undefined) {
    return {
      data,
      lines: [heading, used],
      failure: `${commandOf("start")} refuses this state. ${refusal}`,
    };
  }
  return {
    data,
    lines: [
      heading,
      used,
      describeMigrations(migrations, `${commandOf("start")} applies`),
      ...objects.flatMap(describeObjects),
    ],
  };
}

/** Checks the database of the deployment. The objects of a deployment cannot be read from outside. */
async function checkRemote(call: Call): Promise<Outcome> {
  // Loading wrangler, which reads the environment file, takes longer than all other commands.
  const { deployedMigrations } = await import("#scripts/deploy/deployed-migrations.ts");
  const env = call.text("env");
  const migrations = await deployedMigrations(env === undefined ? [] : ["--env", env], call.env);
  const refusal = refusalOf(migrations);
  const data = {
    florin: FLORIN_VERSION,
    missingMigrations: migrations.kind === "behind" ? migrations.missing : [],
    refusal: refusal ?? null,
  };
  const steps = Object.entries(OBJECT_STEPS)
    .filter(([, { length }]) => length > 0)
    .map(([name, { length }]) => `  ${name}: ${length}`);
  const lines = [
    `This is Florin ${FLORIN_VERSION}.`,
    describeMigrations(migrations, "npm run deploy applies"),
    "The steps of a deployment's objects cannot be seen from here. An object makes the steps that it lacks at its next use, and answers 503 if a later version has made more steps. The last step that this version knows for each class:",
    ...steps,
  ];
  return refusal === undefined
    ? { data, lines }
    : { data, lines, failure: `A Worker of this version refuses this database. ${refusal}` };
}

const refusalOf = (state: MigrationsState): string | undefined =>
  state.kind === "refused" ? state.reason : undefined;

function describeMigrations(state: MigrationsState, whoApplies: string): string {
  if (state.kind === "behind") {
    return `The database lacks ${state.missing.join(", ")}: ${whoApplies} it.`;
  }
  return state.kind === "ahead"
    ? `The database has all migrations, and ${state.later.join(", ")} of a later version, which says that this version works on it still.`
    : "The database has all migrations.";
}

function describeObjects({ className, known, countByStep }: ObjectProgress): string[] {
  return [...countByStep]
    .toSorted(([a], [b]) => a - b)
    .map(([step, count]) => {
      const objects = `${className}: ${count} ${count === 1 ? "object" : "objects"} at step ${step} of ${known}`;
      if (step === 0) return `${objects}, without tables yet.`;
      if (step >= known) return `${objects}.`;
      const names = (OBJECT_STEPS[className] ?? []).slice(step).map(({ name }) => name);
      return `${objects}; steps at the next use: ${names.join(", ")}.`;
    });
}
