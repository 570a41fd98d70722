import type { Context } from "hono";
import { exporterSettings } from "#modules/exporters/index.ts";
import { checkLedgers, LEDGER_VERSION } from "#modules/ledger/service/health.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings } from "#modules/ledger/settings.ts";
import { HealthResponse, InfoResponse, ServerResponse } from "#modules/ledger/wire/schemas.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import {
  type AppEnv,
  deploymentOf,
  healthOperation,
  infoOperation,
  ok,
  operations,
  registration,
} from "#platform/http/index.ts";

/** Most ledger names that the information shows. */
const NAMES_MAX = 1000;

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

const information = operations({ tags: ["Service"], scope: "ledger" });
const HEALTH = {
  summary: "Check the module's health",
  answer: ok.plain("The module is healthy", HealthResponse),
  check: async (context: ServiceContext) => {
    await checkLedgers(context);
    return { "storage-driver-up-to-date": "OK" } as const;
  },
};

export const registerServiceInfo = registration(
  information.get("/v2/_info", {
    operationId: "v2GetInfo",
    summary: "Show the server's configuration",
    honoursLedgers: true,
    answer: ok.plain("The configuration", InfoResponse),
    handle: async ({ context, c }) => toInfo(c, await listNames(context)),
  }),
  information.get("/_info", {
    operationId: "getInfo",
    summary: "Show the server's configuration",
    description: "The answer names the ledgers only if the request has a token that may read them.",
    scope: "public",
    answer: ok.plain("The configuration", InfoResponse),
    handle: async ({ context, c }) => {
      const principal = await findReader(c);
      const isKnown = principal !== undefined;
      return toInfo(c, isKnown ? await listNames({ ...context, principal }) : []);
    },
  }),
  healthOperation({ operationId: "ledgerHealth", ...HEALTH }),
  healthOperation({ path: "/_/healthcheck", operationId: "ledgerHealthV2", ...HEALTH }),
  infoOperation({
    path: "/_/info",
    operationId: "getServerInfo",
    summary: "Show the server's version",
    schema: ServerResponse,
    info: { server: "ledger", version: LEDGER_VERSION },
  }),
);
