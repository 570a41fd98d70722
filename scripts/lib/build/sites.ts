import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Site, workerFirst } from "#platform/modules/site.ts";
import { inProject, ROOT } from "#scripts/lib/project.ts";

/** A site, and the folder of the files that it serves as they are, if it has one. */
export interface DeclaredSite {
  readonly site: Site;
  readonly files: string | undefined;
}

/** The sites of the product, from the files `site.ts` that declare them. */
export async function readSites(): Promise<DeclaredSite[]> {
  const modules = readdirSync(inProject("src/modules")).map(
    (name) => `src/modules/${name}/site.ts`,
  );
  const rooms = ["src/platform/document/site.ts", "src/console/site.ts", "src/guide/site.ts"];
  const declarations = [...rooms, ...modules].filter((file) => existsSync(inProject(file)));
  return Promise.all(
    declarations.map(async (file) => {
      const exported = (await import(join(ROOT, file))) as Record<string, unknown>; // a module's namespace is one
      const site = Object.values(exported).find(isSite);
      if (site === undefined) throw new Error(`${file} declares no site`);
      const files = inProject(dirname(file), "site");
      return { site, files: existsSync(files) ? files : undefined };
    }),
  );
}

const isSite = (value: unknown): value is Site =>
  typeof value === "object" && value !== null && "path" in value && "policy" in value;

/** Paths that the Worker serves besides sites. */
const PATHS = [
  "/api/*",
  "/versions",
  "/metrics",
  "/openapi.json",
  // What clients look for at the root: the `rootRoutes` of modules.
  "/.well-known/*",
  "/_info",
  "/userinfo",
  "/organizations",
  "/organizations/*",
];

/** `wrangler.toml` with the list `run_worker_first` that follows from the sites. */
export async function wranglerConfig(): Promise<string> {
  const sites = await readSites();
  const paths = workerFirst(
    PATHS,
    sites.map(({ site }) => site),
  );
  const list = `run_worker_first = [\n${paths.map((path) => `  "${path}",\n`).join("")}]`;
  const config = readFileSync(inProject("wrangler.toml"), "utf8");
  return config.replace(/^run_worker_first = \[[^\]]*\]$/m, list);
}
