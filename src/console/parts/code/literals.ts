import { isMap, type SdkType } from "./sdk-types.ts";
import { decimalSource, parseJson, quoteJson, stringifyJson } from "#platform/json.ts";

/** Characters that are not shown as themselves: controls, marks that change the direction of a line, separators. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * A JSON text in which hidden characters are written as escapes, so that code shows all that it does. Line ends between values stay; outside
 * of strings, JSON has no other such characters.
 */
export const showHidden = (json: string): string =>
  json.replaceAll(HIDDEN, (character) => (character === "\n" ? character : unitsOf(character)));

/** The escapes of JSON and TypeScript, which are of UTF-16. */
const unitsOf = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");

/** The escapes of Python and Go, which are of whole characters. */
const codePointOf = (character: string): string =>
  `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;

/** A text in double quotes, as JSON and TypeScript read it. */
export const quoted = (text: string): string => showHidden(quoteJson(text));

/** A text in double quotes, as Python and Go read it. */
export const quotedWide = (text: string): string => quoteJson(text).replaceAll(HIDDEN, codePointOf);

/** A JSON text in several lines, with its hidden characters as escapes. */
export function readable(body: string): string {
  try {
    return showHidden(stringifyJson(parseJson(body), { indent: 2 }));
  } catch {
    return showHidden(body);
  }
}

/** A text as one word of a shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** How a language writes values. */
interface Style {
  readonly textOf: (text: string) => string;
  readonly scalars: Readonly<Record<"null" | "true" | "false", string>>;
  readonly nameOf: (name: string) => string;
  readonly special: (value: unknown, type: SdkType) => string | undefined;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const TYPESCRIPT: Style = {
  textOf: quoted,
  scalars: { null: "null", true: "true", false: "false" },
  nameOf: (name) => (IDENTIFIER.test(name) && name !== "__proto__" ? name : `[${quoted(name)}]`),
  special: (value, type) => {
    if (type === "n") return `${String(value)}n`;
    return type === "d" ? `new Date(${quoted(String(value))})` : undefined;
  },
};

const PYTHON: Style = {
  textOf: quotedWide,
  scalars: { null: "None", true: "True", false: "False" },
  nameOf: quotedWide,
  special: () => undefined,
};

/** A value as source of TypeScript, by its type in the SDK. */
export const typescriptLiteral = (value: unknown, type: SdkType, indent = ""): string =>
  write(value, { style: TYPESCRIPT, type, indent });

/** A value as source of Python, with the names of the API. */
export const pythonLiteral = (value: unknown, indent = ""): string =>
  write(value, { style: PYTHON, type: "*", indent });

interface Place {
  readonly style: Style;
  readonly type: SdkType;
  readonly indent: string;
}

function write(value: unknown, { style, type, indent }: Place): string {
  const special = style.special(value, type);
  if (special !== undefined) return special;
  if (typeof value === "string") return style.textOf(value);
  if (typeof value === "symbol") return decimalSource(value);
  if (value === null) return style.scalars.null;
  if (typeof value === "boolean") return style.scalars[`${value}`];
  if (typeof value === "number" || typeof value === "bigint") return value.toString();
  if (typeof value !== "object") throw new TypeError(`JSON has no ${typeof value}`);
  const inner = { style, indent: `${indent}  ` };
  const items = Array.isArray(value)
    ? value.map((item: unknown) => write(item, { ...inner, type: itemType(type) }))
    : membersOf(value, type).map(
        ([name, member, memberType]) =>
          `${style.nameOf(name)}: ${write(member, { ...inner, type: memberType })}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}${close}`;
}

const itemType = (type: SdkType): SdkType =>
  typeof type === "object" && type.kind === "list" ? type.item : "*";

/** The members of an object, with empty maps for those that the SDK requires. */
function membersOf(
  value: object,
  type: SdkType,
): readonly (readonly [name: string, value: unknown, type: SdkType])[] {
  const known = typeof type === "object" && type.kind === "object" ? type : undefined;
  const given = Object.entries(value).map(
    ([name, member]: [string, unknown]) =>
      [name, member, known?.members.get(name)?.type ?? known?.rest ?? "*"] as const,
  );
  const missing = [...(known?.members ?? [])]
    .filter(
      ([name, { isRequired, type: wanted }]) =>
        isRequired && isMap(wanted) && !Object.hasOwn(value, name),
    )
    .map(([name, { type: wanted }]) => [name, {}, wanted] as const);
  return [...given, ...missing];
}
