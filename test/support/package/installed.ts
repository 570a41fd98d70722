import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

/** A folder of a user, in which the package is installed from a tarball. */
export interface Installed {
  readonly folder: string;
  /** The command `florin`. */
  readonly command: string;
}

/** Makes the tarball of the package in a folder, without the internet; returns its path. */
export function pack(folder: string): string {
  const options = ["pack", "--offline", "--pack-destination", folder];
  execFileSync("npm", options, { cwd: ROOT, stdio: "pipe" });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack has made no tarball");
  return join(folder, tarball);
}

/** Installs the package and its dependencies into an empty folder, from the registry of npm's settings. */
export function install(tarball: string, options: readonly string[] = []): Installed {
  const folder = mkdtempSync(join(tmpdir(), "florin-installed-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  execFileSync("npm", ["install", ...options, tarball], { cwd: folder, stdio: "pipe" });
  return { folder, command: join(folder, "node_modules/.bin/florin") };
}

/** Installs a version of Node below a folder; returns the path of its program. */
export function installNode(version: string, below: string): string {
  const folder = join(below, `node-${version}`);
  mkdirSync(folder);
  writeFileSync(
    join(folder, "package.json"),
    '{ "private": true, "allowScripts": { "node": true } }',
  );
  execFileSync("npm", ["install", `node@${version}`], { cwd: folder, stdio: "pipe" });
  return join(folder, "node_modules/node/bin/node");
}

/** Runs a program to its end in a folder, without variables of this checkout; returns its exit code and output. */
export function runIn(folder: string, program: string, args: readonly string[]) {
  const { HOME = "/", LANG = "C" } = process.env;
  const env = { HOME, LANG, PATH: "/usr/local/bin:/usr/bin:/bin" };
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}
