import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "#platform/http/context.ts";
import { compressed } from "#platform/http/pages/compressed.ts";
import { type ContentPolicy, pageHeaders } from "#platform/http/pages/page-headers.ts";

/**
 * Pages for browsers beside an API. A module declares its site in a file `site.ts`. Scripts import this file too, so it imports
 * nothing of the Workers runtime.
 *
 *     /docs               routes, or the fallback
 *     /docs/a/b           routes, or the fallback
 *     /docs/assets/x.js   a file of `site/` beside `site.ts`; Cloudflare serves files without the Worker
 */
export interface Site {
  /** The path of the site, for example `/docs`. */
  readonly path: `/${string}`;
  /** The content security policy of the fallback. */
  readonly policy: ContentPolicy;
  /** The routes of pages that are made for each request, with paths below the path of the site. */
  readonly routes?: () => OpenAPIHono<AppEnv>;
  /**
   * The file below `assets/` that answers every path of the site without a route. It is a client that reads the path by itself.
   */
  readonly fallback?: string;
  /**
   * The folder below `assets/` with the pages of a site that is made of files: `/guide/a/b` is answered with its `a/b.html`, `/guide/` with
   * `index.html`, and a path without a page with `404.html`. The path of the site itself leads to the one with a slash.
   */
  readonly pages?: string;
  /** Whether `/` leads to this site. */
  readonly isFront?: boolean;
}

/** The path below which the files of a site are served. */
export const assetsOf = ({ path }: Pick<Site, "path">): string => `${path}/assets`;

/** The icon of all sites. */
export const ICON_PATH = "/icon.svg";

/** Registers the pages of all sites, and the front page, which leads to one of them. */
export function registerSites(app: OpenAPIHono<AppEnv>, sites: readonly Site[]): void {
  const fronts = sites.filter(({ isFront = false }) => isFront);
  const [front] = fronts;
  if (front === undefined || fronts.length > 1) throw new Error("one site is the front");
  app.get("/", (c) => c.redirect(front.path, 302));
  // Browsers ask for this file where a page names no icon.
  app.get("/favicon.ico", (c) => c.redirect(ICON_PATH, 302));
  for (const site of sites) {
    const { path, routes, fallback, pages } = site;
    if (routes !== undefined) app.route(path, routes());
    if (pages !== undefined) {
      const page = (c: Context<AppEnv>) => answerPage(c, site, `${assetsOf(site)}/${pages}`);
      app.get(path, page);
      app.get(`${path}/*`, page);
    }
    if (fallback === undefined) continue;
    const answer = (c: Context<AppEnv>) => answerFallback(c, site, fallback);
    app.get(path, answer);
    app.get(`${path}/*`, answer);
  }
}

async function answerFallback(c: Context<AppEnv>, site: Site, fallback: string): Promise<Response> {
  const { req, env } = c;
  // The Worker also gets requests for files if nothing serves them before it.
  if (req.path.startsWith(`${assetsOf(site)}/`)) return c.notFound();
  const { ok, body, headers } = await env.ASSETS.fetch(
    new URL(`${assetsOf(site)}/${fallback}`, req.url),
  );
  if (!ok) return c.notFound();
  const type = headers.get("content-type") ?? "text/html; charset=UTF-8";
  return new Response(body, { headers: { ...pageHeaders(site.policy), "content-type": type } });
}

/** Answers with the page that `folder` has for the path of a request. */
async function answerPage(c: Context<AppEnv>, site: Site, folder: string): Promise<Response> {
  const { req, env } = c;
  if (req.path.startsWith(`${assetsOf(site)}/`)) return c.notFound();
  const path = req.path.slice(site.path.length);
  if (path === "") return c.redirect(`${site.path}/`, 302);
  const find = async (file: string) => env.ASSETS.fetch(new URL(`${folder}${file}`, req.url));
  const found = await find(fileOf(path));
  const { body, headers } = found.ok ? found : await find("/404.html");
  const type = headers.get("content-type") ?? "text/html; charset=UTF-8";
  const page = new Response(body, {
    status: found.ok ? 200 : 404,
    headers: { ...pageHeaders(site.policy), "content-type": type },
  });
  return compressed(req.raw, page);
}

/** The file of a page; a path with an ending names its file. */
function fileOf(path: string): string {
  if (path.endsWith("/")) return `${path}index.html`;
  return /\.[a-z]+$/.test(path) ? path : `${path}.html`;
}

/**
 * The paths of `run_worker_first` in `wrangler.toml`, for which Cloudflare calls the Worker before it looks for a file. `paths`
 * are the Worker's other paths.
 */
export const workerFirst = (paths: readonly string[], sites: readonly Site[]): string[] => [
  ...paths,
  ...sites.flatMap((site) => [site.path, `${site.path}/*`, `!${assetsOf(site)}/*`]),
];
