import type { OpenAPIHono } from "@hono/zod-openapi";
import { Scalar } from "@scalar/hono-api-reference";
import { scopesOf, TOKEN_PATH } from "./document.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module } from "#platform/modules/module.ts";
import type { Settings } from "#platform/settings.ts";

/** Registers the page that shows the document. The front page leads there. */
export function registerPage(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  app.get("/", (c) => c.redirect("/docs", 302));
  app.get(
    "/docs",
    Scalar<AppEnv>((c) => ({
      url: "/openapi.json",
      cdn: "/scalar.js",
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
                "x-scalar-client-id": localClientOf(c.var.settings),
                "x-scalar-credentials-location": "body",
                selectedScopes: Object.keys(scopesOf(modules)),
              },
            },
          },
        },
      },
      // The page works offline: what asks other hosts is off.
      telemetry: false,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
    })),
  );
}

/**
 * The first client's id, on the developer's own machine. The developer pastes its secret: a page that holds it would give it
 * to every site that the browser visits, as all origins may read our pages.
 */
const localClientOf = (settings: Settings): string =>
  settings.FLORIN_LOCAL ? (settings.FLORIN_CLIENT_ID ?? "") : "";
