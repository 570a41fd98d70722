import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";

/** The tables that `tables.ts` files declare. The arguments are the namespaces of the files: `tablesIn(grants, people)`. */
export const tablesIn = (...files: readonly Readonly<Record<string, unknown>>[]): SQLiteTable[] =>
  files.flatMap((file) =>
    Object.values(file).flatMap((value) => (is(value, SQLiteTable) ? [value] : [])),
  );

/** A column as SQLite describes it: `type` is in lower case. */
export interface ColumnShape {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: boolean;
  readonly isKey: boolean;
}

export interface IndexShape {
  readonly name: string;
  readonly isUnique: boolean;
}

/** The actual or the wanted shape of a table. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
  readonly indexes: readonly IndexShape[];
}

/** The shape that a declared table must have in the database. */
export function shapeOf(table: SQLiteTable): TableShape {
  const { name, columns, indexes, primaryKeys, uniqueConstraints } = getTableConfig(table);
  const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
  return {
    name,
    columns: columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toLowerCase(),
      isNotNull: column.notNull,
      isKey: column.primary || keys.has(column.name),
    })),
    indexes: [
      ...indexes.map(({ config }) => ({ name: config.name, isUnique: config.unique })),
      ...columns.flatMap(({ isUnique, uniqueName }) =>
        isUnique && uniqueName !== undefined ? [{ name: uniqueName, isUnique }] : [],
      ),
      ...uniqueConstraints.flatMap((constraint) => {
        const unique = constraint.getName();
        return unique === undefined ? [] : [{ name: unique, isUnique: true }];
      }),
    ],
  };
}

/**
 * The differences of a table from its wanted shape, a sentence for each. Additional columns and indexes are no problem: an operator may add
 * an index.
 */
export function shapeDifferences(wanted: TableShape, found: TableShape | undefined): string[] {
  const { name } = wanted;
  if (found === undefined) return [`The table ${name} is missing.`];
  return [
    ...wanted.columns.flatMap((column) => findColumnLack(name, column, found.columns)),
    ...wanted.indexes.flatMap((index) => findIndexLack(name, index, found.indexes)),
  ];
}

function findColumnLack(
  table: string,
  wanted: ColumnShape,
  columns: readonly ColumnShape[],
): string[] {
  const found = columns.find(({ name }) => name === wanted.name);
  if (found === undefined) return [`The table ${table} lacks the column ${wanted.name}.`];
  const [expected, actual] = [describeColumn(wanted), describeColumn(found)];
  if (expected === actual) return [];
  return [`The column ${wanted.name} of the table ${table} is ${actual} instead of ${expected}.`];
}

const describeColumn = ({ type, isNotNull, isKey }: ColumnShape): string =>
  [type, isNotNull ? "not null" : "null", ...(isKey ? ["key"] : [])].join(", ");

function findIndexLack(
  table: string,
  wanted: IndexShape,
  indexes: readonly IndexShape[],
): string[] {
  const found = indexes.find(({ name }) => name === wanted.name);
  if (found === undefined) return [`The table ${table} lacks the index ${wanted.name}.`];
  if (found.isUnique === wanted.isUnique) return [];
  return [
    `The index ${wanted.name} of the table ${table} ${wanted.isUnique ? "is not unique" : "is unique"}.`,
  ];
}
