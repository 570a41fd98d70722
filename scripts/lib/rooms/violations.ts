import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { FACES, moduleRoom, ROOMS, TOOL_ROOMS } from "./room-table.ts";
import type { Room } from "./room.ts";

/** The text of every source file, by its path below `src`. */
export type Sources = ReadonlyMap<string, string>;

/** The largest number of files in one folder. */
const FOLDER_FILES_MAX = 20;

/** Describes each violation of the layout of the sources by a sentence that names the file. */
export function findViolations(sources: Sources): string[] {
  const imports = new Map(
    [...sources].map(([file, text]) => [file, importsOf(text).map((name) => targetOf(name, file))]),
  );
  return [
    ...[...imports].flatMap(([file, targets]) =>
      targets.flatMap((target) => judgeImport(file, target, sources) ?? []),
    ),
    ...findCircles(imports),
    ...findLargeFolders([...sources.keys()]),
    ...findDuplicateTypes(sources),
  ];
}

/**
 * Describes each circle and each arrow that `TOOL_ROOMS` lacks among the sources of tools, whose paths begin with `scripts/` or `bench/`. Tools
 * import from any file of `src`.
 */
export function findToolViolations(sources: Sources): string[] {
  const imports = new Map(
    [...sources].map(([file, text]) => [
      file,
      importsOf(text).map((name): Target =>
        name.startsWith("../")
          ? { kind: "file", path: normalize(join(dirname(file), name)) }
          : targetOf(name, file),
      ),
    ]),
  );
  const arrows = [...imports].flatMap(([file, targets]) =>
    targets.flatMap((target) => {
      if (target.kind !== "file") return [];
      const [from, to] = [toolRoomOf(file), toolRoomOf(target.path)];
      const isAllowed = from === to || to === undefined || from === undefined;
      if (isAllowed || (TOOL_ROOMS[from] ?? []).includes(to)) return [];
      return [`${file} imports ${target.path}: "${from}" may not use "${to}"`];
    }),
  );
  return [...arrows, ...findCircles(imports), ...findLargeFolders([...sources.keys()])];
}

/** The innermost room of a tool's file; undefined for a file of `src` or `test`. */
const toolRoomOf = (file: string): string | undefined =>
  Object.keys(TOOL_ROOMS)
    .filter((room) => file.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0];

/** What is read for its imports. Other files, such as texts that the bundle holds, may be imported all the same. */
const SOURCE = /\.tsx?$/;

/** Reads every TypeScript file below a folder, except declaration files. `prefix` is put before their paths. */
export function readSources(folder: string, prefix = ""): Sources {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => SOURCE.test(file) && !file.endsWith(".d.ts"),
  );
  return new Map(
    files.map((file) => [`${prefix}${file}`, readFileSync(join(folder, file), "utf8")]),
  );
}

/** The formatter writes each import and re-export in one of these ways. */
const IMPORTS = [
  /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)"(?: with \{[^}]*\})?;$/gm,
  /^import "([^"]+)"(?: with \{[^}]*\})?;$/gm,
  /\bimport\(\s*"([^"]+)"\s*[,)]/g,
];

const importsOf = memoized((text: string): readonly string[] =>
  IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name)),
);

/**
 * A pure function that remembers its values. The tests of this file look at all sources once for each file that they plant, and those are the
 * same texts and paths each time.
 */
function memoized<V>(compute: (text: string) => V): (text: string) => V {
  const values = new Map<string, V>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined || values.has(text)) return known as V; // The map has the value under this key.
    const value = compute(text);
    values.set(text, value);
    return value;
  };
}

/** What an import leads to. */
type Target =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "climbing"; readonly name: string };

function targetOf(name: string, file: string): Target {
  if (name.startsWith("../")) return { kind: "climbing", name };
  if (name.startsWith("./")) return { kind: "file", path: normalize(join(dirname(file), name)) };
  if (name.startsWith("#src/")) return { kind: "file", path: name.slice("#src/".length) };
  if (!name.startsWith("#")) return { kind: "package", name };
  const path = name.slice(1);
  return { kind: "file", path: FACES.includes(path) ? `${path}/index.ts` : path };
}

/** What is wrong with an import, if anything is. */
function judgeImport(file: string, target: Target, sources: Sources): string | undefined {
  const found = roomOf(file);
  if (found === undefined) return `${file} is in no room of scripts/lib/rooms/room-table.ts`;
  const { name, room } = found;
  if (target.kind === "climbing")
    return `${file} climbs to ${target.name}: use a package import, which begins with #`;
  if (target.kind === "package") {
    const isAllowed = (room.packages ?? []).some((allowed) => covers(allowed, target.name));
    return isAllowed ? undefined : `${file} imports ${target.name}, which "${name}" may not`;
  }
  const { path } = target;
  if (SOURCE.test(path) && !sources.has(path))
    return `${file} imports ${path}, which does not exist`;
  const other = roomOf(path)?.name;
  if (other === undefined || other === name || room.uses.includes(path)) return undefined;
  const house = houseOf(path);
  if (house !== undefined && house === houseOf(file)) {
    // The face exports from all rooms behind it.
    const isAllowed = file === `${house}/index.ts` || room.uses.includes(other);
    return isAllowed ? undefined : `${file} imports ${path}: "${name}" may not use "${other}"`;
  }
  if (house !== undefined && path !== `${house}/index.ts`) {
    return `${file} imports ${path}: "${house}" is used through its index.ts only`;
  }
  const isAllowed = room.uses.some((allowed) => covers(allowed, house ?? other));
  return isAllowed
    ? undefined
    : `${file} imports ${path}: "${name}" may not use "${house ?? other}"`;
}

const covers = (allowed: string, name: string): boolean =>
  allowed.endsWith("/*") ? name.startsWith(allowed.slice(0, -1)) : name === allowed;

/** The innermost room that a file is in. Undefined for a folder directly below `src` that is not in the table. */
const roomOf = (file: string): { readonly name: string; readonly room: Room } | undefined =>
  roomOfFolder(dirname(file));

const roomOfFolder = memoized((folder) => {
  let name = folder === "." ? "" : folder;
  for (;;) {
    const room = ROOMS[name] ?? moduleRoom(name);
    if (room !== undefined) return { name, room };
    const parent = dirname(name);
    if (name === "" || parent === ".") return undefined;
    name = parent;
  }
});

/** The room with a face that a file belongs to. */
function houseOf(file: string): string | undefined {
  const module = /^modules\/[^/]+/.exec(file)?.[0];
  return module ?? FACES.find((face) => file.startsWith(`${face}/`));
}

/** An import of one entry of a folder, a file or a subfolder, from another entry of the same folder. */
interface SiblingImport {
  readonly folder: string;
  readonly from: string;
  readonly to: string;
  /** The importing and the imported file. */
  readonly files: string;
}

/**
 * Finds circles among the entries of each folder: files, and subfolders with everything in them. A circle of files over several folders is
 * one of entries in the innermost folder that has all of these files.
 */
function findCircles(imports: ReadonlyMap<string, readonly Target[]>): string[] {
  const siblings = [...imports].flatMap(([file, targets]) =>
    targets.flatMap((target) =>
      target.kind === "file" && imports.has(target.path) && target.path !== file
        ? [siblingImport(file, target.path)]
        : [],
    ),
  );
  return [...Map.groupBy(siblings, ({ folder }) => folder)].flatMap(([folder, inside]) =>
    strongComponents(Map.groupBy(inside, ({ from }) => from)).map((members) => {
      const ties = inside.filter(({ from, to }) => members.has(from) && members.has(to));
      const entries = [...members].toSorted().join(", ");
      return `a circle of imports in ${folder === "" ? "the root" : folder}: ${entries} (${ties.map(({ files }) => files).join("; ")})`;
    }),
  );
}

function siblingImport(file: string, target: string): SiblingImport {
  const [from, to] = [file.split("/"), target.split("/")];
  let depth = 0;
  while (from[depth] === to[depth]) depth++;
  return {
    folder: from.slice(0, depth).join("/"),
    from: from[depth] ?? "",
    to: to[depth] ?? "",
    files: `${file} -> ${target}`,
  };
}

/** The strongly connected components with several members, by Tarjan's algorithm (SIAM J. Comput. 1, 1972). */
function strongComponents(
  edges: ReadonlyMap<string, readonly { readonly to: string }[]>,
): Set<string>[] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const components: Set<string>[] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    open.push(node);
    let low = index;
    for (const { to } of edges.get(node) ?? []) {
      const seen = order.get(to);
      if (seen === undefined) low = Math.min(low, visit(to));
      else if (open.includes(to)) low = Math.min(low, seen);
    }
    if (low === index) {
      const members = open.splice(open.indexOf(node));
      if (members.length > 1) components.push(new Set(members));
    }
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return components;
}

function findLargeFolders(files: readonly string[]): string[] {
  return [...Map.groupBy(files, (file) => dirname(file))]
    .filter(([, inside]) => inside.length > FOLDER_FILES_MAX)
    .map(
      ([folder, inside]) => `${folder} has ${inside.length} files; ${FOLDER_FILES_MAX} are allowed`,
    );
}

const TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

const typesOf = memoized((text: string): readonly string[] =>
  [...text.matchAll(TYPE)].map(([, name = ""]) => name),
);

/**
 * Finds exported types that are defined more than once: a type name stands for one thing in all of the Worker, and in all of the console, which
 * sees the Worker's objects in the form of the API document.
 */
function findDuplicateTypes(sources: Sources): string[] {
  const definitions = [...sources].flatMap(([file, text]) =>
    typesOf(text).map((name) => ({ name, file })),
  );
  const programOf = ({ file }: { readonly file: string }): boolean => file.startsWith("console/");
  return [...Map.groupBy(definitions, programOf).values()].flatMap((defined) =>
    [...Map.groupBy(defined, ({ name }) => name)]
      .filter(([, found]) => found.length > 1)
      .map(
        ([name, found]) =>
          `the type ${name} is defined in ${found.map(({ file }) => file).join(" and in ")}`,
      ),
  );
}
