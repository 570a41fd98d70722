import type { Requirement, Version } from "./builtins.ts";
import type { ReportBuilder } from "./report.ts";
import type { Comment } from "#numscript/syntax/lexer.ts";
import type { Range } from "#numscript/syntax/source.ts";

/**
 * Checks a script against the version that it names in a comment: `// @version machine` or `// @version interpreter
 * X.Y.Z`. Experimental features of such a script need a comment as well: `// @feature_flag NAME`. A script that names no
 * version may use all features.
 */
export class VersionCheck {
  readonly #report: ReportBuilder;
  readonly #version: Version | "machine" | undefined;
  readonly #flags = new Set<string>();

  constructor(comments: readonly Comment[], report: ReportBuilder) {
    this.#report = report;
    for (const { text } of comments) {
      if (!text.includes("@")) continue;
      const words = text.trim().split(BLANKS);
      if (words[0] === "@version") this.#version ??= parseVersion(words.slice(1));
      if (words[0] === "@feature_flag" && words[1] !== undefined) this.#flags.add(words[1]);
    }
  }

  require({ version, feature }: Requirement, range: Range): void {
    if (this.#version === undefined) return;
    if (this.#version === "machine" || isOlder(this.#version, version)) {
      const message = `Version mismatch. Required version '${printVersion(version)}' (but got '${printVersion(this.#version)}' instead)`;
      this.#report.error("version-mismatch", message, range);
    } else if (feature !== undefined && !this.#flags.has(feature)) {
      const message = `This feature is experimental. Add this comment to your script:\n// @feature_flag ${feature}`;
      this.#report.error("experimental-feature", message, range);
    }
  }
}

const BLANKS = /[ \t]+/;
/** Matches a version, whose parts are short enough to be exact numbers. */
const VERSION = /^([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})$/;

function parseVersion([runtime, version = ""]: readonly string[]): Version | "machine" | undefined {
  if (runtime === "machine") return runtime;
  const [, major, minor, patch] = VERSION.exec(version) ?? [];
  return runtime === "interpreter" && major !== undefined
    ? [Number(major), Number(minor), Number(patch)]
    : undefined;
}

/** Compares versions by the first part that differs: 0.1.0 is newer than 0.0.15. */
function isOlder(a: Version, b: Version): boolean {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}

const printVersion = (version: Version | "machine"): string =>
  version === "machine" ? version : `interpreter ${version.join(".")}`;
