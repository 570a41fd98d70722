import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import { pack } from "#test/support/package/installed.ts";

/** These tests install the package in a project of its own, as users do, without access to the internet. */
const ROOT = resolve(import.meta.dirname, "../../..");
const PAGE = "docs/embedded-ledger.md";
const COMMAND = "node_modules/florin/dist/package/command.js";

let project: string;
let packed: string[];

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "florin-library-"));
  const folder = join(project, "node_modules/florin");
  mkdirSync(folder, { recursive: true });
  const tarball = pack(project);
  packed = run("tar", ["-tzf", tarball]).split("\n").filter(Boolean).toSorted();
  run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  write("package.json", '{ "name": "shop", "private": true, "type": "module" }');
});

describe("the package", () => {
  test("the package contains the library, the server, its command, and nothing else", () => {
    const beside = packed.filter((path) => !path.startsWith("package/dist/"));
    expect(beside).toEqual([
      "package/LICENSE",
      "package/README.md",
      `package/${PAGE}`,
      "package/package.json",
    ]);
    const parts = packed.flatMap((path) => /^package\/dist\/(?:package\/)?[^/]+/.exec(path) ?? []);
    expect([...new Set(parts)]).toEqual([
      "package/dist/library",
      "package/dist/package/LICENSES.txt",
      "package/dist/package/assets",
      "package/dist/package/command.js",
      "package/dist/package/migrations",
      "package/dist/package/server",
      "package/dist/package/worker",
    ]);
    const endings = packed
      .filter((path) => path.startsWith("package/dist/library/"))
      .map((path) => /(?:\.d\.ts|\.\w+)$/.exec(path)?.[0]);
    expect(new Set(endings)).toEqual(new Set([".d.ts", ".js", ".txt"]));
  });

  test("the package of the library has one script, which imports nothing but what Node has", () => {
    const scripts = packed.filter((path) => /\/library\/.*\.js$/.test(path));
    expect(scripts).toEqual(["package/dist/library/ledger.js"]);
    const script = readFileSync(
      join(project, "node_modules/florin/dist/library/ledger.js"),
      "utf8",
    );
    const imported = [...script.matchAll(/\bfrom\s*"([a-z@][\w:@/.-]*)"/g)].map(
      ([, name = ""]) => name,
    );
    expect(imported.filter((name) => !name.startsWith("node:"))).toEqual([]);
    // Node 20 has no such module, so that an import would fail without a sentence.
    expect(imported).not.toContain("node:sqlite");
    expect(script).not.toContain(ROOT);
  });

  test("the package of the library exports nothing but the library", () => {
    write("inside.mjs", 'await import("florin/dist/library/ledger.js");');
    expect(() => run(process.execPath, ["inside.mjs"])).toThrow(/ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });
});

describe("the server of the package", () => {
  beforeAll(() => {
    // What npm installs with the package.
    for (const name of ["miniflare", "node"]) {
      symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
    }
  });

  test("the server of the package has no source of the project and no path of the machine that built it", () => {
    const folder = join(project, "node_modules/florin/dist/package");
    for (const part of ["server", "worker"]) {
      for (const name of readdirSync(join(folder, part))) {
        expect(name).toMatch(/\.js$/);
        expect(readFileSync(join(folder, part, name), "utf8")).not.toContain(ROOT);
      }
    }
  });

  test("the server of the package starts in a folder of its own, answers its commands, and ends with them", async () => {
    const server = spawn(process.execPath, [COMMAND, "start"], {
      cwd: project,
      env: { ...process.env, PORT: "0", FLORIN_STATE_DIR: undefined },
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const url = await urlOf(server);
      const [versions, ...pages] = await Promise.all(
        ["/versions", "/console", "/docs/assets/scalar.js", "/guide/"].map((path) =>
          fetch(`${url}${path}`),
        ),
      );
      expect([versions?.status, ...pages.map(({ status }) => status)]).toEqual([
        200, 200, 200, 200,
      ]);
      expect(await versions?.json()).toMatchObject({ region: expect.any(String) as string });
      expect(readdirSync(join(project, ".florin"))).toContain("server.json");
      const { FLORIN_STATE_DIR: _, ...env } = process.env;
      const options = { cwd: project, env, encoding: "utf8" } as const;
      const listed = spawnSync(process.execPath, [COMMAND, "keys", "list", "--json"], options);
      expect([listed.status, listed.stderr]).toEqual([0, ""]);
      expect(JSON.parse(listed.stdout)).toHaveLength(1);
    } finally {
      server.kill("SIGTERM");
      const [code] = (await once(server, "exit")) as [number | null];
      expect(code).toBe(0);
    }
  });

  test.each([
    ["--version", 0, /^\d+\.\d+\.\d+\n$/],
    ["--help", 0, /npx florin <command>[\s\S]*start[\s\S]*npx florin <noun>/],
    ["demo --help", 0, /^Usage: npx florin demo\n/],
    ["upgrade check", 0, /npx florin start makes a new one/],
    ["nonsense", 2, /^$/],
  ])("`npx florin %s` ends with %i", (words, code, output) => {
    const empty = mkdtempSync(join(tmpdir(), "florin-empty-"));
    const env = { ...process.env, FLORIN_STATE_DIR: "" };
    const args = [join(project, COMMAND), ...words.split(" ")];
    const { status, stdout } = spawnSync(process.execPath, args, {
      cwd: empty,
      env,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([code, expect.stringMatching(output)]);
  });
});

/** The URL that a starting server prints. */
async function urlOf(server: ChildProcess): Promise<string> {
  let text = "";
  for await (const part of present(server.stdout, "the output is a pipe")) {
    text += String(part);
    const url = /Base URL +(\S+)[\s\S]*Ctrl-C/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the server ended: ${text}`);
}

describe("the page of the library", () => {
  const blocks = [...readFileSync(join(ROOT, PAGE), "utf8").matchAll(/```js\n(.*?)```/gs)].map(
    ([, block = ""]) => block,
  );

  test("the page of the library is linked from the README", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(`(${PAGE})`);
  });

  test("the page of the library has examples", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(3);
  });

  test.each(blocks.map((block, index) => [index, block] as const))(
    "the page of the library runs as it stands: %i",
    (index, block) => {
      write(`example-${index}.mjs`, block);
      const options = ["--no-warnings", `example-${index}.mjs`];
      expect(() => run(process.execPath, options)).not.toThrow();
    },
  );

  test.each(["nodenext", "bundler"])(
    "the page of the library fits the types, resolved as %s does",
    (moduleResolution) => {
      for (const [index, block] of blocks.entries()) write(`example-${index}.mts`, block);
      write("tsconfig.json", configOf({ moduleResolution, types: ["node"] }));
      expect(run(TSC, ["-p", "."])).toBe("");
    },
  );
});

describe("the types", () => {
  test("the types of the library need no others, and no skipped check", () => {
    write(
      "typed.mts",
      `import { type Ledger, LedgerError, openLedger, type Transaction } from "florin/ledger";
      const ledger: Ledger = openLedger({ features: { HASH_LOGS: "DISABLED" } });
      const made: Transaction = ledger.createTransaction({
        postings: [{ source: "world", destination: "a", amount: 1n, asset: "USD" }],
      });
      const amount: bigint | undefined = made.postings[0]?.amount;
      const balance: bigint | undefined = ledger.getAccount("a").volumes["USD"]?.balance;
      for (const entry of ledger.logs()) {
        if (entry.type === "SET_METADATA") entry.data.metadata satisfies object;
      }
      const code: "VALIDATION" extends LedgerError["code"] ? true : false = true;
      export { amount, balance, code };
      // @ts-expect-error a ledger has no such option
      openLedger({ path: "ledger.sqlite" });
      // @ts-expect-error an amount is no text
      ledger.createTransaction({ postings: [{ source: "a", destination: "b", amount: "1", asset: "USD" }] });
      `,
    );
    const options = {
      moduleResolution: "nodenext",
      lib: ["ES2022"],
      types: [],
      files: ["typed.mts"],
    };
    write("tsconfig.json", configOf(options));
    expect(run(TSC, ["-p", "."])).toBe("");
  });
});

const TSC = join(ROOT, "node_modules/.bin/tsc");

const configOf = ({ files, ...options }: Record<string, unknown>): string =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      target: "ES2022",
      module: options["moduleResolution"] === "nodenext" ? "nodenext" : "preserve",
      typeRoots: [join(ROOT, "node_modules/@types")],
      ...options,
    },
    ...(files === undefined ? { include: ["example-*.mts"] } : { files }),
  });

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}

/** Runs a command; returns its output. Throws an error with the output if the command fails. */
function run(command: string, options: readonly string[], cwd = project): string {
  const { status, stdout, stderr, error } = spawnSync(command, options, { cwd, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${options.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}
