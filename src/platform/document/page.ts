import type { OpenAPIHono } from "@hono/zod-openapi";
import { Scalar } from "@scalar/hono-api-reference";
import { TOKEN_PATH } from "./document.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { type Module, scopesOf } from "#platform/modules/module.ts";

export interface PageParts {
  readonly modules: readonly Module[];
  /** The client id that the page proposes; empty for none. */
  readonly clientIdOf: (env: Env) => string;
}

/** Registers the page that shows the document. The front page leads there. */
export function registerPage(app: OpenAPIHono<AppEnv>, { modules, clientIdOf }: PageParts): void {
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
                "x-scalar-client-id": clientIdOf(c.env),
                "x-scalar-credentials-location": "body",
                selectedScopes: Object.keys(scopesOf(modules)),
              },
            },
          },
        },
      },
      // The page works offline, so features that call other hosts are switched off.
      telemetry: false,
      showDeveloperTools: "never",
      agent: { disabled: true },
      mcp: { disabled: true },
    })),
  );
}
