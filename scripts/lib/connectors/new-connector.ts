import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inProject, OperatorError } from "#scripts/lib/project.ts";

/** The form of a connector's name, which is a segment of paths. */
const NAME = /^[a-z][a-z0-9]{2,30}$/;

const TEMPLATE = "scripts/connector-template";
const CONNECTORS = "src/modules/payments/connectors";

/**
 * Makes a connector from the template and adds it to the list of kinds. The template is compiled with the project. Returns the new files,
 * the test suite last.
 */
export function newConnector(root: string, name: string): string[] {
  if (!NAME.test(name)) {
    throw new OperatorError(`${name} is no name of a connector: small letters and digits are`);
  }
  const rename = renamer(name);
  const files = [
    ...readdirSync(inProject(`${TEMPLATE}/connector`)).map((file) => ({
      from: `${TEMPLATE}/connector/${file}`,
      to: `${CONNECTORS}/${name}/${file}`,
    })),
    { from: `${TEMPLATE}/psp.ts`, to: `test/support/psp/${name}.ts` },
    { from: `${TEMPLATE}/suite.ts`, to: `test/unit/payments/connectors/${name}.test.ts` },
  ];
  const known = files.find(({ to }) => existsSync(join(root, to)));
  if (known !== undefined) throw new OperatorError(`there is a file ${known.to} already`);
  const list = join(root, CONNECTORS, "index.ts");
  const listed = withKind(readFileSync(list, "utf8"), name);
  for (const { from, to } of files) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    writeFileSync(join(root, to), rename(readFileSync(inProject(from), "utf8")));
  }
  writeFileSync(list, listed);
  return files.map(({ to }) => to);
}

function renamer(name: string): (text: string) => string {
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return (text) =>
    text
      .replaceAll(`#${TEMPLATE}/connector/`, `#modules/payments/connectors/${name}/`)
      .replaceAll(`#${TEMPLATE}/psp.ts`, `#test/support/psp/${name}.ts`)
      .replaceAll("EXAMPLE", name.toUpperCase())
      .replaceAll("Example", title)
      .replaceAll("example", name);
}

const LIST = /(CONNECTOR_KINDS: readonly ConnectorKind\[\] = \[)([^\]]*)\]/;

/** The source of the list of kinds with another kind, in the order of their names. */
export function withKind(source: string, name: string): string {
  if (!LIST.test(source))
    throw new OperatorError("the list of kinds is not where this script expects it");
  const added = `import { ${name}Kind } from "./${name}/index.ts";\n${source}`;
  return added.replace(LIST, (_, head: string, kinds: string) => {
    const names = kinds.split(",").map((kind) => kind.trim());
    const sorted = [...names.filter((kind) => kind !== ""), `${name}Kind`].toSorted();
    return `${head}${sorted.join(", ")}]`;
  });
}
