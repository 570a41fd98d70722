import { OpenAPIHono } from "@hono/zod-openapi";
import { Scalar } from "@scalar/hono-api-reference";
import type { MiddlewareHandler } from "hono";
import { TOKEN_PATH } from "./document.ts";
import { DOCUMENT_SITE, SCRIPT_PATH } from "./site.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { pageHeaders } from "#platform/http/pages/page-headers.ts";
import { type Module, type Routes, scopesOf } from "#platform/modules/module.ts";

export interface PageParts {
  readonly modules: readonly Module[];
  /** The client id that the page proposes; empty for none. */
  readonly clientIdOf: (env: Env) => string;
}

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g;

/** Lets the page use its own scripts and styles, and call only this server. */
const restrict: MiddlewareHandler = async (c, next) => {
  await next();
  const page = await c.res.text();
  const scripts = [...page.matchAll(INLINE_SCRIPT)].map(([, script = ""]) => script);
  const sources = ["'self'", ...(await Promise.all(scripts.map(hashSource)))];
  const headers = pageHeaders({ "script-src": sources, ...DOCUMENT_SITE.policy });
  c.res = new Response(page, {
    headers: { ...headers, "content-type": "text/html; charset=UTF-8" },
  });
};

/** The name of an inline script in a content security policy. */
async function hashSource(script: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
}

/** The routes of the page that shows the document. */
export function documentRoutes({ modules, clientIdOf }: PageParts): Routes {
  const app = new OpenAPIHono<AppEnv>();
  app.get(
    "/",
    restrict,
    Scalar<AppEnv>((c) => ({
      url: "/openapi.json",
      cdn: SCRIPT_PATH,
      pageTitle: "Florin API",
      withDefaultFonts: false,
      defaultOpenFirstTag: false,
      defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
      authentication: {
        preferredSecurityScheme: "oauth2",
        securitySchemes: {
          oauth2: {
            flows: {
              clientCredentials: {
                tokenUrl: TOKEN_PATH,
                "x-scalar-client-id": clientIdOf(c.env),
                "x-scalar-credentials-location": "body",
                selectedScopes: Object.keys(scopesOf(modules)),
              },
            },
          },
        },
      },
      // The page works offline, so features that call or open other hosts are switched off.
      telemetry: false,
      showDeveloperTools: "never",
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    })),
  );
  return app;
}
