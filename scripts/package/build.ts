import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { standIns } from "./stand-ins.ts";
import { prepareAssets } from "#scripts/lib/build/assets.ts";
import { licensesOf, packagesIn } from "#scripts/lib/build/licenses.ts";
import { replaceFolder } from "#scripts/lib/build/replace-folder.ts";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { inProject, OperatorError, ROOT } from "#scripts/lib/project.ts";

/** The folder of the server in the package `florin`. */
const FOLDER = inProject("dist/package");
/** The scripts of the package. The command `florin` runs the one that its first argument names, or else `florin`. */
const SCRIPTS = ["start", "demo", "listen", "florin"];
/** Packages that are installed with the package, because they have programs for each platform. */
const INSTALLED = new Set(["miniflare"]);
/** The version of Node that runs the scripts: the package `node`, on which the package depends. */
const TARGET = "node24";
/** The oldest version of Node on which the command says what is missing. */
const COMMAND_TARGET = "node18";

/**
 * Builds the server for users without a checkout, into a folder that is replaced as a whole:
 *
 *     dist/package/
 *       command.js   the command `florin`
 *       server/      start.js, demo.js, listen.js and florin.js, with all packages but `miniflare`
 *       worker/      the script of the Worker
 *       assets/      the files of the console, the guide and the API page
 *       migrations/  the migrations of D1
 */
export async function buildPackage(folder = FOLDER): Promise<void> {
  await prepareAssets();
  const worker = await buildWorker();
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    chmodSync(fresh, 0o755); // Only its owner can read a temporary folder.
    await bundleCommand(join(fresh, "command.js"));
    const packages = await bundleScripts(join(fresh, "server"));
    writeFileSync(join(fresh, "LICENSES.txt"), licensesOf(packages));
    copy(worker, join(fresh, "worker", basename(worker)));
    copy(inProject("dist/assets"), join(fresh, "assets"));
    for (const name of readdirSync(inProject("migrations"))) {
      if (name.endsWith(".sql"))
        copy(inProject("migrations", name), join(fresh, "migrations", name));
    }
    replaceFolder(folder, fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true });

/** Bundles the command, which says on an old version of Node what to do. */
async function bundleCommand(outfile: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["scripts/package/command.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: COMMAND_TARGET,
    logLevel: "silent",
    banner: { js: "#!/usr/bin/env node" },
  });
  chmodSync(outfile, 0o755);
}

/** Bundles the scripts, which share what they have in common. Returns the names of the packages in them. */
async function bundleScripts(outdir: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: SCRIPTS.map((name) => `scripts/${name}.ts`),
    outdir,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: TARGET,
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
    external: [...INSTALLED],
    plugins: [await standIns()],
    // Packages in the older form of modules require what Node has.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  const foreign = imported.filter((name) => !INSTALLED.has(name) && !isBuiltin(name));
  if (foreign.length > 0) throw new OperatorError(`The package lacks ${foreign.join(", ")}.`);
  return packagesIn(metafile);
}
