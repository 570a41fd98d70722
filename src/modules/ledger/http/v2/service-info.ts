import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { exporterSettings } from "#modules/exporters/index.ts";
import { checkLedgers, LEDGER_VERSION } from "#modules/ledger/service/health.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import { HealthResponse, InfoResponse, ServerResponse } from "#modules/ledger/wire/schemas.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";

/** Most ledger names that the information shows. */
const NAMES_MAX = 1000;

export function registerServiceInfo(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/_info",
      operationId: "v2GetInfo",
      summary: "Show the server's configuration",
      tags: ["Service"],
      scope: "ledger:read",
      honoursLedgers: true,
      responses: { 200: json("The configuration", InfoResponse) },
    },
    async ({ c }) => ({ status: 200, body: toInfo(c, await listNames(c.get("context"))) }),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/_info",
      operationId: "getInfo",
      summary: "Show the server's configuration",
      description:
        "The answer names the ledgers only if the request has a token that may read them.",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("The configuration", InfoResponse) },
    },
    async ({ c }) => {
      const principal = await findReader(c);
      const isKnown = principal !== undefined;
      const names = isKnown ? await listNames({ ...c.get("context"), principal }) : [];
      return { status: 200, body: toInfo(c, names) };
    },
  );
  for (const path of ["/_healthcheck", "/_/healthcheck"] as const) {
    endpoint(
      app,
      {
        method: "get",
        path,
        operationId: path === "/_healthcheck" ? "ledgerHealth" : "ledgerHealthV2",
        summary: "Check the module's health",
        tags: ["Service"],
        scope: "public",
        responses: { 200: json("The module is healthy", HealthResponse) },
      },
      async ({ c }) => {
        await checkLedgers(c.get("context"));
        return { status: 200, body: { "storage-driver-up-to-date": "OK" } };
      },
    );
  }
  endpoint(
    app,
    {
      method: "get",
      path: "/_/info",
      operationId: "getServerInfo",
      summary: "Show the server's version",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("The version", ServerResponse) },
    },
    () => ({ status: 200, body: { server: "ledger", version: LEDGER_VERSION } }),
  );
}

const listNames = (context: ServiceContext): Promise<string[]> =>
  LedgerService.from(context).listLedgerNames(NAMES_MAX);

/** The principal of the request, if it may read ledgers. */
async function findReader(c: Context<AppEnv>): Promise<Principal | undefined> {
  try {
    return await deploymentOf(c).authenticate(c.req.raw, "ledger:read");
  } catch (error) {
    if (error instanceof AppError && error.kind === "UNAUTHENTICATED") return undefined;
    throw error;
  }
}

const toInfo = (c: Context<AppEnv>, ledgers: string[]) => ({
  data: {
    server: "ledger",
    version: LEDGER_VERSION,
    config: {
      storage: { driver: "sqlite", ledgers },
      schemaEnforcementMode: ledgerSettings.of(c.env).FLORIN_SCHEMA_ENFORCEMENT_MODE,
    },
    experimentalFeatures: [
      ...(ledgerSettings.of(c.env).FLORIN_EXPERIMENTAL_FEATURES ? ["experimental-features"] : []),
      ...(exporterSettings.of(c.env).FLORIN_EXPORTERS ? ["experimental-exporters"] : []),
    ],
  },
});
