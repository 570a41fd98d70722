import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { compileFilter, isRelated } from "#ledger-engine/rules/filters/compiled-filter.ts";
import { type FilterTest, parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { PAGE_BYTES_MAX } from "#ledger-engine/rules/limits.ts";
import type { StoredSchema } from "#ledger-engine/rules/types.ts";
import type { SchemaStore, SchemaSummary } from "#ledger-engine/storage/schema-store.ts";
import { likeMatcher } from "#platform/filter/like.ts";
import { compareKeys, type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type PageKey, type PageQuery } from "#platform/paging/query.ts";
import { fromMicros, toMicros } from "#platform/time.ts";

/** Lists schemas. A ledger has few schemas, so that each list filters and sorts the summaries of all, and reads the schemas of its page. */
export class SchemaLists {
  readonly #schemas: SchemaStore;

  constructor({ schemas }: ReadContext) {
    this.#schemas = schemas;
  }

  find(version: string): StoredSchema | undefined {
    return this.#schemas.find(version);
  }

  list(query: PageQuery): Page<StoredSchema> {
    const filter = parseLedgerFilter("schemas", query.where);
    const matches = filter === undefined ? () => true : compileFilter(filter, compileTest);
    const pit = query.pit === undefined ? undefined : toMicros(query.pit);
    const scan = scanOf(query);
    const keyOf = query.column === "version" ? versionKey : dateKey;
    const rows = this.#schemas
      .summaries()
      .filter((schema) => (pit === undefined || schema.createdAt <= pit) && matches(schema))
      .map((schema) => ({ schema, key: keyOf(schema) }))
      .filter(({ key }) => isWithin(key, scan))
      .toSorted((a, b) => compareKeys(a.key, b.key) * signOf(scan))
      .slice(scan.offset, scan.offset + scan.limit);
    const wanted = rows.slice(0, query.pageSize).map(({ schema }) => schema.log);
    const schemas = this.#schemas.readAll(wanted, { bytesMax: PAGE_BYTES_MAX });
    const byVersion = new Map(schemas.map((schema) => [schema.version, schema]));
    const page = pageOf(query, rows, { keyOf: ({ key }) => key, keptMax: schemas.length });
    return {
      ...page,
      data: page.data.flatMap(({ schema }) => byVersion.get(schema.version) ?? []),
    };
  }
}

const versionKey = ({ version }: SchemaSummary): PageKey => ({ value: version });
const dateKey = ({ createdAt, log }: SchemaSummary): PageKey => ({
  value: createdAt,
  tie: BigInt(log),
});

const signOf = ({ order }: Scan): number => (order === "asc" ? 1 : -1);

function isWithin(key: PageKey, scan: Scan): boolean {
  if (scan.bound === undefined) return true;
  const difference = compareKeys(key, scan.bound.key) * signOf(scan);
  return scan.bound.inclusive ? difference >= 0 : difference > 0;
}

function compileTest(test: FilterTest): (schema: SchemaSummary) => boolean {
  switch (test.kind) {
    case "text":
      return ({ version }) => test.values.includes(version);
    case "like": {
      const isLike = likeMatcher(test.pattern);
      return ({ version }) => isLike(version);
    }
    case "date":
      return ({ createdAt }) => isRelated(fromMicros(createdAt), test.operator, test.value);
    default:
      throw new Error(`schemas have no ${test.kind}`);
  }
}
