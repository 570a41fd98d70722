import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { build, type Metafile } from "esbuild";
import { licensesOf, packagesIn } from "./licenses.ts";
import { replaceFolder } from "./replace-folder.ts";
import { inProject, OperatorError, ROOT } from "#scripts/lib/project.ts";

/** The entry of the library, which users import as `florin/ledger`. */
const ENTRY = "src/library/index.ts";
/** The folder of the library, which package.json exports. */
const LIBRARY = inProject("dist/library");
/** The oldest version of Node that has `node:sqlite` without a flag. */
const TARGET = "node22.13";
/** Packages that the library may contain: no server and no driver of another database. */
const BUNDLED = new Set(["zod"]);
/** Largest script, in bytes. The engine and zod have 516,000 bytes, so that an accidental package exceeds the limit. */
const SCRIPT_BYTES_MAX = 530_000;

/**
 * Builds the library into a folder, which is replaced as a whole: one script that imports only from Node, and the declarations of its
 * exports. Returns the size of the script in bytes.
 */
export async function buildLibrary(folder = LIBRARY): Promise<number> {
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    chmodSync(fresh, 0o755); // Only its owner can read a temporary folder.
    const packages = await bundleScript(join(fresh, "ledger.js"));
    await emitTypes(join(fresh, "types"));
    writeFileSync(join(fresh, "LICENSES.txt"), licensesOf(packages));
    const { size } = statSync(join(fresh, "ledger.js"));
    if (size > SCRIPT_BYTES_MAX) {
      throw new OperatorError(`The library has ${size} bytes; ${SCRIPT_BYTES_MAX} are allowed.`);
    }
    replaceFolder(folder, fresh);
    return size;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Bundles the script, and returns the names of the packages in it. */
async function bundleScript(outfile: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: TARGET,
    minify: true,
    // Users see readable names, and lines that fit a terminal, in their stack traces.
    keepNames: true,
    lineLimit: 120,
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
  });
  const foreign = [...packagesIn(metafile), ...importsOf(metafile)].filter(
    (name) => !BUNDLED.has(name) && !name.startsWith("node:"),
  );
  if (foreign.length > 0) {
    throw new OperatorError(`The library must do without ${foreign.join(", ")}: see ${ENTRY}.`);
  }
  return packagesIn(metafile);
}

const importsOf = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));

/** Writes the declarations that can be reached from the entry, without all others. */
async function emitTypes(folder: string): Promise<void> {
  const all = `${folder}-all`;
  try {
    await promisify(execFile)(
      inProject("node_modules/.bin/tsc"),
      ["-p", "tsconfig.library.json", "--outDir", all],
      { cwd: ROOT },
    );
  } catch (cause) {
    const { stdout = "" } = cause as { stdout?: string }; // `execFile` throws errors with the output.
    throw new OperatorError(`The library's types are wrong.\n${stdout}`, { cause });
  }
  const entry = declarationOf(resolve(all, relative("src", ENTRY)));
  for (const file of reachableFrom(entry, all)) {
    const target = join(folder, relative(all, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withRelativeImports(file, all));
  }
  rmSync(all, { recursive: true });
}

/** An import of a source file. Declarations must import scripts, so that the ending is replaced by `.js`. */
const IMPORT = /(\bfrom |\bimport\(|\bdeclare module )"((?:\.|#)[^"]*)"/g;

/** The declaration of a source file. Imports that the compiler adds lack the ending. */
const declarationOf = (source: string): string => source.replace(/(?:\.ts)?$/, ".d.ts");

/** The declarations below `all` that can be reached from the entry, including the entry. */
function reachableFrom(entry: string, all: string): Set<string> {
  const reached = new Set([entry]);
  // The iteration of a set includes elements that are added during it.
  for (const file of reached) {
    for (const [, , specifier = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      reached.add(declarationOf(targetOf(specifier, file, all)));
    }
  }
  return reached;
}

/** The source file that a declaration imports, as if the sources were below `all`. */
function targetOf(specifier: string, file: string, all: string): string {
  return specifier.startsWith("#")
    ? resolve(all, relative("src", packageImport(specifier)))
    : resolve(dirname(file), specifier);
}

/** The path, relative to the project, that the field `imports` of package.json maps a specifier to. */
function packageImport(specifier: string): string {
  for (const [pattern, target] of Object.entries(PACKAGE_IMPORTS)) {
    const [prefix = "", rest] = pattern.split("*");
    if (specifier === pattern) return target;
    if (rest === "" && specifier.startsWith(prefix)) {
      return target.replace("*", specifier.slice(prefix.length));
    }
  }
  throw new Error(`package.json has no import ${specifier}`);
}

const { imports: PACKAGE_IMPORTS } = JSON.parse(
  readFileSync(inProject("package.json"), "utf8"),
) as {
  imports: Readonly<Record<string, string>>;
};

/** Makes the imports of a declaration relative, because users do not have the project's package imports. */
function withRelativeImports(file: string, all: string): string {
  return readFileSync(file, "utf8").replaceAll(IMPORT, (_, before: string, specifier: string) => {
    const path = relative(dirname(file), targetOf(specifier, file, all)).replace(
      /(?:\.ts)?$/,
      ".js",
    );
    return `${before}"${path.startsWith(".") ? path : `./${path}`}"`;
  });
}
