import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { buildConsole } from "./console.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { buildGuide } from "./guide/build.ts";
import { guideSources } from "./guide/sources.ts";
import { readSites } from "./sites.ts";
import { CONSOLE_SITE } from "#console/site.ts";
import { SCRIPT_PATH } from "#platform/document/site.ts";
import { assetsOf, ICON_PATH } from "#platform/modules/site.ts";
import { inProject } from "#scripts/lib/project.ts";
import { GUIDE_SITE } from "#src/guide/site.ts";

/**
 * Puts the files that the Worker serves as they are into dist/assets: those of all sites, their icon, and the script of the API page, so that
 * the page works without the internet. Files that are not served any more are deleted. Nothing is done while the sources stay the same.
 */
export async function prepareAssets(): Promise<void> {
  const sources = fingerprintOf([...SOURCES, ...guideSources()]);
  const isThere = existsSync(inProject(`dist/assets${SCRIPT_PATH}`)) && existsSync(MARKER);
  if (isThere && readFileSync(MARKER, "utf8") === sources) return;
  const wanted = new Map<string, Buffer>([
    [SCRIPT_PATH, Buffer.from(await scalarScript())],
    [ICON_PATH, readFileSync(inProject("src/console/icon.svg"))],
    ["/_headers", Buffer.from(HEADERS)],
  ]);
  // VitePress has a process of its own, beside the build of the console.
  const [guide, console, sites] = await Promise.all([buildGuide(), buildConsole(), readSites()]);
  const built = new Map<string, string>([
    [CONSOLE_SITE.path, console],
    [GUIDE_SITE.path, guide],
  ]);
  for (const { site, files } of sites) {
    const folder = built.get(site.path) ?? files;
    if (folder === undefined) continue;
    for (const file of filesIn(folder)) {
      wanted.set(`${assetsOf(site)}/${file}`, readFileSync(join(folder, file)));
    }
  }
  const folder = inProject("dist/assets");
  for (const [path, content] of wanted) writeIfChanged(`${folder}${path}`, content);
  for (const file of existsSync(folder) ? filesIn(folder) : []) {
    if (!wanted.has(`/${file}`)) rmSync(join(folder, file), { force: true });
  }
  writeFileSync(MARKER, sources);
}

/** The sources of the files, and the file with the fingerprint of those that dist/assets was made of. */
const SOURCES = ["src", "scripts/lib", "package.json", "package-lock.json"];
const MARKER = inProject("dist/assets.fingerprint");

/**
 * The headers of files that Cloudflare serves without the Worker. The names of the files of the console and of the guide contain a hash of
 * their content, so that browsers keep them; their pages are served by the Worker with its policy, and run nothing under the paths of the files.
 */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
${assetsOf(CONSOLE_SITE)}/*
  Cache-Control: public, max-age=31536000, immutable
${assetsOf(CONSOLE_SITE)}/index.html
  ! Cache-Control
  Content-Security-Policy: default-src 'none'
${assetsOf(GUIDE_SITE)}/*
  Cache-Control: public, max-age=31536000, immutable
${assetsOf(GUIDE_SITE)}/${GUIDE_SITE.pages}/*
  ! Cache-Control
  Content-Security-Policy: default-src 'none'
`;

/** The files below a folder, by their paths with slashes. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));

function writeIfChanged(path: string, content: Buffer): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

interface Route {
  readonly url: string;
  readonly handler: (request: unknown, reply: Reply) => unknown;
}
interface Reply {
  readonly header: (name: string, value: string) => Reply;
  readonly send: (body: string) => void;
}
type FastifyPlugin = (
  app: { route: (route: Route) => void },
  options: { configuration: { url: string } },
  done: () => void,
) => void;

/**
 * Scalar's script for browsers. Scalar's own package depends on 270 others. Its plugin for Fastify contains the script and serves it, here
 * to a stand-in for Fastify.
 */
async function scalarScript(): Promise<string> {
  // The plugin's own types need Fastify's types, which are not installed.
  const scalar: { default: FastifyPlugin } = await import("@scalar/fastify-api-reference");
  let script: string | undefined;
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body;
    },
  };
  const route = ({ url, handler }: Route): void => {
    if (url.endsWith("/scalar.js")) handler({}, reply);
  };
  scalar.default({ route }, { configuration: { url: "/openapi.json" } }, () => undefined);
  if (script === undefined) throw new Error("@scalar/fastify-api-reference serves no script");
  return script;
}
