import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type QueryTemplate,
  resolveQuery,
  toAccountView,
  toExpansion,
  toTransactionView,
} from "#ledger-engine";
import { rulesOf } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import {
  AccountResponse,
  LogResponse,
  QueryParams,
  QueryRunQuery,
  QueryRunRequest,
  TransactionResponse,
  VolumeRowResponse,
} from "#modules/ledger/wire/schemas.ts";
import { toLogView, toVolumeRowView } from "#modules/ledger/wire/views.ts";
import { toFilterText } from "#platform/filter/filter.ts";
import {
  type AppEnv,
  cursorOf,
  deploymentOf,
  endpoint,
  errors,
  json,
  toCursorView,
  toPageQuery,
} from "#platform/http/index.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

const QueryRunResponse = z.union([
  cursorOf(TransactionResponse).extend({ resource: z.literal("transactions") }),
  cursorOf(AccountResponse).extend({ resource: z.literal("accounts") }),
  cursorOf(LogResponse).extend({ resource: z.literal("logs") }),
  cursorOf(VolumeRowResponse).extend({ resource: z.literal("volumes") }),
]);

export function registerQueries(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v2/{ledger}/queries/{id}/run",
      operationId: "v2RunQuery",
      summary: "Run a query template of a schema",
      description:
        "The answer is a page of the list that the template describes, with the given values for its variables. `params` override those of the template. A request with a cursor ignores `vars` and `params`.",
      tags: ["Schemas"],
      scope: "ledger:read",
      params: QueryParams,
      query: QueryRunQuery,
      body: QueryRunRequest,
      bigintAsString: true,
      responses: { 200: json("A page of the list", QueryRunResponse), ...errors(404) },
    },
    async ({ params: { ledger, id }, query, body, context, c }) => {
      const service = LedgerService.from(context);
      const template = await service.getQueryTemplate(ledger, { ...query, id });
      const wanted = toQuery(template, body, { ledger, settings: deploymentOf(c).settings });
      return { status: 200, body: await readList(service, ledger, { ...template, wanted }) };
    },
  );
}

/** The page that a run asks for, as a request for the list itself would ask for it. */
function toQuery(
  template: QueryTemplate,
  { vars, params, cursor }: z.output<typeof QueryRunRequest>,
  { ledger, settings }: { ledger: string; settings: PlatformSettings },
): PageQuery {
  const rules = rulesOf(ledger, template.resource);
  if (cursor !== undefined && cursor !== null && cursor !== "") {
    return toPageQuery({ cursor }, rules, settings);
  }
  const resolved = resolveQuery(template, { vars: vars ?? {}, params: params ?? {} });
  const { sort, expand, pageSize, startTime, endTime, groupBy, insertionDate } = resolved.params;
  const options = { insertionDate: insertionDate ?? false, groupBy: groupBy ?? 0 };
  return toPageQuery(
    {
      sort,
      pageSize,
      oot: startTime,
      pit: endTime,
      where: toFilterText(resolved.filter),
      ...(expand === undefined ? {} : { expand }),
      ...(template.resource === "volumes" ? { options } : {}),
    },
    rules,
    settings,
  );
}

async function readList(
  service: LedgerService,
  ledger: string,
  { resource, wanted }: Pick<QueryTemplate, "resource"> & { readonly wanted: PageQuery },
): Promise<z.input<typeof QueryRunResponse>> {
  const expand = toExpansion(wanted.expand);
  switch (resource) {
    case "transactions": {
      const page = await service.listTransactions(ledger, wanted, expand);
      return { ...toCursorView(mapPage(page, toTransactionView)), resource };
    }
    case "accounts": {
      const page = await service.listAccounts(ledger, wanted, expand);
      return { ...toCursorView(mapPage(page, (it) => toAccountView(it, expand))), resource };
    }
    case "logs": {
      const page = await service.listLogs(ledger, wanted);
      return { ...toCursorView(mapPage(page, toLogView)), resource };
    }
    case "volumes": {
      const page = await service.listVolumes(ledger, wanted);
      return { ...toCursorView(mapPage(page, toVolumeRowView)), resource };
    }
  }
}
