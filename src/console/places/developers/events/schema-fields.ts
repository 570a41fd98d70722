import { stringifyJson } from "#platform/json.ts";

/** A field of a JSON Schema, for people. */
export interface SchemaField {
  /** The names from the outermost object on, with dots between them. */
  readonly path: string;
  readonly depth: number;
  /** The type in short, such as `string`, `date-time`, `integer[]` or `"ACCOUNT" | "TRANSACTION"`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

type Schema = Readonly<Record<string, unknown>>;

/** Depth from which fields of fields are left out: the whole schema is below. */
const DEPTH_MAX = 3;

/** The fields of a schema in their order, each followed by its own fields. */
export const fieldsOf = (schema: Schema): SchemaField[] =>
  fieldsAt(schema, schema, { prefix: "", depth: 0 });

function fieldsAt(
  root: Schema,
  at: Schema,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
): SchemaField[] {
  const schema = resolve(root, at);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(asSchema(schema["properties"])).flatMap(([name, value]) => {
    const field = resolve(root, asSchema(value));
    const inner = field["type"] === "array" ? resolve(root, asSchema(field["items"])) : field;
    const path = `${prefix}${name}`;
    const { description } = { ...field, ...asSchema(value) };
    const own: SchemaField = {
      path,
      depth,
      type: typeOf(root, field),
      isRequired: required.includes(name),
      description: typeof description === "string" ? description : undefined,
    };
    return depth < DEPTH_MAX
      ? [own, ...fieldsAt(root, inner, { prefix: `${path}.`, depth: depth + 1 })]
      : [own];
  });
}

/** A schema behind references into `$defs` of the root. */
function resolve(root: Schema, schema: Schema): Schema {
  let found = schema;
  for (let steps = 0; steps < DEPTH_MAX; steps += 1) {
    const reference = found["$ref"];
    if (typeof reference !== "string") return found;
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    found = asSchema(asSchema(root["$defs"])[name]);
  }
  return found;
}

function typeOf(root: Schema, schema: Schema): string {
  const { type, format, enum: values, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.map((value) => stringifyJson(value)).join(" | ");
  const options = anyOf ?? oneOf;
  if (Array.isArray(options)) {
    return [
      ...new Set(options.map((option) => typeOf(root, resolve(root, asSchema(option))))),
    ].join(" | ");
  }
  if (type === "array") return `${typeOf(root, resolve(root, asSchema(schema["items"])))}[]`;
  if (typeof format === "string") return format;
  if (Array.isArray(type)) return type.join(" | ");
  return typeof type === "string" ? type : "any";
}

const asSchema = (value: unknown): Schema =>
  typeof value === "object" && value !== null ? (value as Schema) : {}; // Members are read as unknown.
