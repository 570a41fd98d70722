import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inProject } from "#scripts/lib/project.ts";

export type LanguageName = "python" | "go";

/** The languages of the guides whose SDKs are not installed with the project. */
export const LANGUAGES: readonly LanguageName[] = ["python", "go"];

/** How programs of a language run. */
export interface Language {
  /** The name of a program's file. */
  readonly file: string;
  /** The command that runs a program in its folder. */
  readonly command: readonly [string, ...string[]];
  /** The command that fails where the language or its SDK is missing, in the folder of programs. */
  readonly probe: readonly [string, ...string[]];
  /** What to do where it fails. */
  readonly remedy: string;
}

const PYTHON = process.env["GUIDES_PYTHON"] ?? "python3";

export const LANGUAGE: Readonly<Record<LanguageName, Language>> = {
  python: {
    file: "program.py",
    command: [PYTHON, "program.py"],
    probe: [PYTHON, "-c", "import formance_sdk_python"],
    remedy:
      "pip install -r test/fixtures/guides/python/requirements.txt, and name its interpreter in GUIDES_PYTHON",
  },
  go: {
    file: "main.go",
    command: ["go", "run", "-mod=mod", "."],
    probe: ["go", "list", "github.com/formancehq/formance-sdk-go/v3"],
    remedy: "install Go; it fetches the SDK that test/fixtures/guides/go/go.mod names",
  },
};

/** Whether programs of a language run here. */
export async function isInstalled(name: LanguageName): Promise<boolean> {
  const [command, ...args] = LANGUAGE[name].probe;
  try {
    await promisify(execFile)(command, args, { cwd: homeOf(name) });
    return true;
  } catch {
    return false;
  }
}

/** Runs a program in a folder, against the server of `serverFile`. Returns what it prints; throws if it fails. */
export async function runProgram(
  name: LanguageName,
  program: string,
  { folder, serverFile }: { readonly folder: string; readonly serverFile: string },
): Promise<string> {
  const { file, command } = LANGUAGE[name];
  cpSync(homeOf(name), folder, { recursive: true });
  writeFileSync(join(folder, file), program);
  const [executable, ...args] = command;
  const env = { ...process.env, SERVER_FILE: serverFile };
  const { stdout } = await promisify(execFile)(executable, args, { cwd: folder, env });
  return stdout;
}

/** The folder with the versions of a language's packages. */
const homeOf = (name: LanguageName): string => inProject(`test/fixtures/guides/${name}`);
