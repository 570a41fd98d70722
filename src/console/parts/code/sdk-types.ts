/** A type of a value in the SDKs, as `sdk-operations.ts` writes them. */
export type SdkType =
  | "s"
  | "i"
  | "n"
  | "b"
  | "d"
  | "*"
  | "u"
  | { readonly kind: "list"; readonly item: SdkType }
  | ObjectType;

interface ObjectType {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, SdkMember>;
  /** The type of members with any other name. */
  readonly rest: SdkType | undefined;
}

interface SdkMember {
  readonly type: SdkType;
  readonly isRequired: boolean;
}

export function parseType(text: string): SdkType {
  const [type, rest] = readType(text);
  if (rest !== "") throw new Error(`malformed type: ${text}`);
  return type;
}

/** The type at the beginning of a text, and what follows it. */
function readType(text: string): [type: SdkType, rest: string] {
  if (text.startsWith("[")) {
    const [item, rest] = readType(text.slice(1));
    return [{ kind: "list", item }, rest.slice(1)];
  }
  if (!text.startsWith("{")) return [text.charAt(0) as SdkType, text.slice(1)]; // The table has no other letters.
  const members = new Map<string, SdkMember>();
  let rest = text.slice(1);
  while (!rest.startsWith("}")) {
    const cut = rest.indexOf(":");
    const name = rest.slice(0, cut);
    const [type, after] = readType(rest.slice(cut + 1));
    members.set(name.replace(/!$/, ""), { type, isRequired: name.endsWith("!") });
    rest = after.replace(/^,/, "");
  }
  const any = members.get("*")?.type;
  members.delete("*");
  return [{ kind: "object", members, rest: any }, rest.slice(1)];
}

/**
 * How a value fits a type: `exactly`, so that every SDK sends it unchanged; only `as JSON`, because the SDK for TypeScript would round or
 * refuse it; or not at all.
 */
export type Fit = "exactly" | "as JSON" | "no";

const worst = (fits: readonly Fit[]): Fit =>
  fits.find((fit) => fit === "no") ?? fits.find((fit) => fit === "as JSON") ?? "exactly";

export function fitOf(value: unknown, type: SdkType): Fit {
  if (typeof type === "object")
    return type.kind === "list" ? fitOfList(value, type.item) : fitOfObject(value, type);
  switch (type) {
    case "s":
      return typeof value === "string" ? "exactly" : "no";
    case "b":
      return typeof value === "boolean" ? "exactly" : "no";
    case "i":
      return typeof value === "number" ? "exactly" : "no";
    case "n":
      return fitOfInteger(value);
    case "d":
      return fitOfDate(value);
    case "u":
      return "as JSON";
    case "*":
      return fitOfAnything(value);
  }
}

/** Integers beyond the safe ones become numbers in the SDK for TypeScript. */
function fitOfInteger(value: unknown): Fit {
  if (typeof value === "number") return "exactly";
  return typeof value === "bigint" ? "as JSON" : "no";
}

/** A `Date` has milliseconds, and the API microseconds. */
function fitOfDate(value: unknown): Fit {
  if (typeof value !== "string" || Number.isNaN(Date.parse(value))) return "no";
  const short = (text: string): string => text.replace(/\.?0*Z$/, "Z");
  return short(new Date(value).toISOString()) === short(value) ? "exactly" : "as JSON";
}

function fitOfAnything(value: unknown): Fit {
  if (typeof value === "bigint" || typeof value === "symbol") return "as JSON";
  if (typeof value !== "object" || value === null) return "exactly";
  return worst(Object.values(value).map(fitOfAnything));
}

const fitOfList = (value: unknown, item: SdkType): Fit =>
  Array.isArray(value) ? worst(value.map((member) => fitOf(member, item))) : "no";

function fitOfObject(value: unknown, type: ObjectType): Fit {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "no";
  const missing = [...type.members]
    .filter(([name, { isRequired }]) => isRequired && !Object.hasOwn(value, name))
    .map(([, member]): Fit => (isMap(member.type) ? "exactly" : "as JSON"));
  const members = Object.entries(value).map(([name, member]) => {
    const memberType = type.members.get(name)?.type ?? type.rest;
    return memberType === undefined ? "no" : fitOf(member, memberType);
  });
  return worst([...missing, ...members]);
}

/** Whether a type is a map, which may be empty where a request leaves it out. */
export const isMap = (type: SdkType): boolean =>
  typeof type === "object" && type.kind === "object" && type.members.size === 0;
