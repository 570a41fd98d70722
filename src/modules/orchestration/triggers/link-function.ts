import { elementsOf, type ExprValue, type HostAnswer, memberOrNil } from "#expr";

/** Resources that links point to, by their URIs. */
export type LinkAnswers = ReadonlyMap<string, ExprValue>;

/**
 * The function `link(object, rel)`: the resource that the object's link of this name points to. A payload has its links as
 * `links: [{ name, uri }]`.
 */
export function linkFunction(args: readonly ExprValue[], answers: LinkAnswers): HostAnswer {
  if (args.length !== 2) return refused(`expect two arguments, got ${args.length}`);
  const [object = null, rel = null] = args;
  if (typeof rel !== "string") return refused("second parameter must be a string");
  const found = elementsOf(memberOrNil(object, "links")).filter(
    (link) => memberOrNil(link, "name") === rel,
  );
  const shown = rel.slice(0, SHOWN_MAX);
  const [link] = found;
  if (link === undefined) return refused(`link '${shown}' not defined for object`);
  if (found.length > 1) return refused(`multiple link '${shown}' found for object`);
  const uri = memberOrNil(link, "uri");
  if (typeof uri !== "string" || uri === "") return refused(`link '${shown}' has no uri`);
  const value = answers.get(uri);
  return value === undefined ? { kind: "pending", key: uri } : { kind: "value", value };
}

/** Longest part of a name that a message repeats, in characters. */
const SHOWN_MAX = 100;

const refused = (message: string): HostAnswer => ({ kind: "error", message });
