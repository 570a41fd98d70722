import { dirname, relative } from "node:path";
import type { Plugin } from "esbuild";
import { nounFiles, placeOf } from "#scripts/florin/noun-files.ts";
import { inProject } from "#scripts/lib/project.ts";
import { askWrangler } from "#scripts/lib/runtime/worker-config.ts";
import { settingFiles } from "#scripts/lib/settings/modules.ts";

/** Modules that look around in a checkout, and the modules with the same exports that stand in for them in the package. */
const STAND_INS: Readonly<Record<string, string>> = {
  "scripts/lib/place.ts": "place.ts",
  "scripts/lib/build/worker.ts": "worker.ts",
  "scripts/lib/runtime/worker-config.ts": "worker-config.ts",
  "scripts/deploy/deployed-migrations.ts": "deployed-migrations.ts",
};

/**
 * A plugin of esbuild for the scripts of the package. In a checkout, scripts find settings, nouns, the Worker and its options by looking at
 * files. The package has none of these files, so that the plugin replaces the modules that look: by a module of this folder, or by a module
 * that lists what the project has at the time of the build.
 */
export async function standIns(): Promise<Plugin> {
  const { name, worker } = await askWrangler();
  // The paths are those of this machine; `worker-config.ts` puts those of the package in their place.
  const config = {
    name,
    worker: { ...worker, rootPath: "", assets: { ...worker.assets, directory: "" } },
  };
  const lists: Readonly<Record<string, string>> = {
    "scripts/lib/settings/modules.ts": settingModules(),
    "scripts/florin/noun-files.ts": nouns(),
  };
  return {
    name: "stand-ins",
    setup(bundle) {
      bundle.initialOptions.define = { WORKER_CONFIG: JSON.stringify(config) };
      bundle.onLoad({ filter: /\/scripts\/.*\.ts$/ }, ({ path }) => {
        const file = relative(inProject(), path);
        const list = lists[file];
        if (list !== undefined) return { contents: list, loader: "ts", resolveDir: dirname(path) };
        const standIn = STAND_INS[file];
        if (standIn === undefined) return undefined;
        const contents = `export * from ${JSON.stringify(inProject("scripts/package", standIn))};`;
        return { contents, loader: "ts", resolveDir: dirname(path) };
      });
    },
  };
}

/** The module of the settings, with a fixed list of modules. */
function settingModules(): string {
  const files = settingFiles();
  const items = files.map((file, index) => `{ owner: "${dirname(file)}", exported: m${index} }`);
  return `${imports(files.map((file) => `src/modules/${file}`))}
export const loadSettings = async () => [${items.join(", ")}];`;
}

/** The module of the nouns, with a fixed list of nouns. */
function nouns(): string {
  const files = nounFiles();
  const items = files.map((file, index) => {
    const { group, name } = placeOf(file);
    return `{ group: "${group}", name: "${name}", noun: m${index}.noun }`;
  });
  return `${imports(files.map((file) => `scripts/florin/nouns/${file}`))}
export const loadNounFiles = async () => [${items.join(", ")}];`;
}

const imports = (files: readonly string[]): string =>
  files
    .map((file, index) => `import * as m${index} from ${JSON.stringify(inProject(file))};`)
    .join("\n");
