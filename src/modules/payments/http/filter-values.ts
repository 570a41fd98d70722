import { parseJson, stringifyJson } from "#platform/json.ts";

/** Functions that turn values of filters into values of columns, by the keys of filters. */
export type FilterValueMap = Readonly<Record<string, (value: unknown) => unknown>>;

/** A filter with mapped values. Its form must have been checked before. */
export function mapFilterValues(
  where: string | undefined,
  maps: FilterValueMap,
): string | undefined {
  return where === undefined ? undefined : stringifyJson(mapNode(parseJson(where), maps));
}

function mapNode(node: unknown, maps: FilterValueMap): unknown {
  if (Array.isArray(node)) return node.map((item: unknown) => mapNode(item, maps));
  if (!isObject(node)) return node;
  return mapMembers(node, (operator, operand) => {
    if (operator === "$and" || operator === "$or" || operator === "$not") {
      return mapNode(operand, maps);
    }
    return isObject(operand)
      ? mapMembers(operand, (key, value) =>
          mapValue(value, Object.hasOwn(maps, key) ? maps[key] : undefined),
        )
      : operand;
  });
}

function mapValue(value: unknown, map: ((value: unknown) => unknown) | undefined): unknown {
  if (map === undefined) return value;
  return Array.isArray(value) ? value.map((item: unknown) => map(item)) : map(value);
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mapMembers = (object: object, map: (name: string, value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]));
