import { showSchema, toInsertSchema } from "#ledger-engine";
import { written } from "#modules/ledger/http/answers.ts";
import { rulesOf, writeOptions } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings, standardRuntimeOf } from "#modules/ledger/settings.ts";
import {
  FilterBody,
  LedgerParams,
  SchemaListQuery,
  SchemaParams,
  SchemaRequest,
  SchemaResponse,
  WriteHeaders,
  WriteQuery,
} from "#modules/ledger/wire/schemas.ts";
import {
  deploymentOf,
  filterOf,
  ok,
  operations,
  registration,
  toPageQuery,
} from "#platform/http/index.ts";

const schemas = operations({ path: "/v2/{ledger}/schemas", tags: ["Schemas"], scope: "ledger" });

/** The path of a schema as the official command line spells it. */
const ALIAS = "/v2/{ledger}/schema/{version}";

export const registerSchemas = registration(
  schemas.post("/{version}", {
    aliases: [ALIAS],
    operationId: "v2InsertSchema",
    summary: "Insert a schema",
    description:
      "A schema has a chart of accounts, with patterns and default metadata, and named templates of transactions and queries. A version never changes.",
    params: SchemaParams,
    query: WriteQuery,
    headers: WriteHeaders,
    body: SchemaRequest,
    answer: written("Inserted"),
    errors: [404, 409],
    handle: ({ params, query, headers, body, context, c }) => {
      const runtime = standardRuntimeOf(ledgerSettings.of(c.env));
      return LedgerService.from(context).execute(
        params.ledger,
        () => toInsertSchema(params.version, body, { runtime }),
        writeOptions(headers, query),
      );
    },
  }),
  schemas.get("/{version}", {
    aliases: [ALIAS],
    operationId: "v2GetSchema",
    summary: "Read a schema",
    params: SchemaParams,
    answer: ok.data("The schema", SchemaResponse, showSchema),
    errors: [404],
    handle: ({ params, context }) =>
      LedgerService.from(context).getSchema(params.ledger, params.version),
  }),
  schemas.get("", {
    operationId: "v2ListSchemas",
    summary: "List schemas, newest first",
    params: LedgerParams,
    query: SchemaListQuery,
    body: FilterBody,
    answer: ok.page("A page of schemas", SchemaResponse, showSchema),
    errors: [404],
    handle: ({ params, query, body, context, c }) => {
      const rules = rulesOf(params.ledger, "schemas");
      const order = query.order === "asc" || query.order === "desc" ? query.order : rules.order;
      const wanted = toPageQuery(
        { ...query, where: filterOf(query, body) },
        { ...rules, order },
        deploymentOf(c).settings,
      );
      return LedgerService.from(context).listSchemas(params.ledger, wanted);
    },
  }),
);
