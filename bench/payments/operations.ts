import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { OpenAPIHono } from "@hono/zod-openapi";
import { NO_QUOTAS } from "#platform/admission/quotas.ts";
import { ANONYMOUS } from "#platform/context.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { stringifyJson } from "#platform/json.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** The operations of payments of all generations, in this process and without authentication. */
export async function paymentOperations(): Promise<OpenAPIHono<AppEnv>> {
  registerHooks({ resolve: withoutRuntime, load: withTexts });
  const { paymentsModule } = await import("#modules/payments/index.ts");
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    const settings = platformSettings.of(c.env);
    const deployment = {
      settings,
      scopes: [],
      authenticate: () => ANONYMOUS,
      quotas: NO_QUOTAS,
      readOwnApi: () => Promise.reject(new Error("payments read no links")),
      isOpenToAll: false,
    };
    c.set("request", {
      id: "bench",
      url: c.req.url,
      deployment,
      hasCommonHeaders: false,
      operation: undefined,
      body: undefined,
      failure: undefined,
      ticket: undefined,
      quota: undefined,
    });
    await next();
  });
  app.route("/api/payments", paymentsModule.routes());
  if (paymentsModule.florinRoutes !== undefined) {
    app.route("/api/florin/v1", paymentsModule.florinRoutes());
  }
  app.onError((error) => {
    throw error;
  });
  return app;
}

type Hooks = Required<Parameters<typeof registerHooks>[0]>;

/** A stand-in for the runtime of Workers, whose classes modules extend. The bench makes no object of these classes. */
const RUNTIME = `data:text/javascript,${encodeURIComponent(
  ["DurableObject", "WorkerEntrypoint", "WorkflowEntrypoint"]
    .map((name) => `export class ${name} {}`)
    .join("\n"),
)}`;

const withoutRuntime: Hooks["resolve"] = (specifier, context, next) =>
  specifier === "cloudflare:workers"
    ? { url: RUNTIME, format: "module", shortCircuit: true }
    : next(specifier, context);

/** Loads Markdown files as modules, as the Worker's bundler does. */
const withTexts: Hooks["load"] = (url, context, next) => {
  if (!url.endsWith(".md")) return next(url, context);
  const source = `export default ${stringifyJson(readFileSync(fileURLToPath(url), "utf8"))};`;
  return { format: "module", source, shortCircuit: true };
};
