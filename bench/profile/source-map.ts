/** Finds the file that a line of a bundled script comes from. */
export class SourceLines {
  readonly #files: readonly string[];

  /** Without minification, the bundler writes the path of each file above the file's code. */
  constructor(script: string) {
    let file = "";
    this.#files = script.split("\n").map((line) => {
      const [, path = file] = MODULE.exec(line) ?? COMMON_JS_MODULE.exec(line) ?? [];
      file = path;
      return file;
    });
  }

  /** The file of a line, counted from 0; empty for code of the bundler. */
  fileOf(line: number): string {
    return this.#files[line] ?? "";
  }
}

const MODULE = /^\/\/ ((?:src|bench|node_modules)\/\S+)$/;
const COMMON_JS_MODULE = /^ {2}"(node_modules\/\S+)"\(/;
