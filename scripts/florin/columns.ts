import { printable } from "./printable.ts";

/** The lines of a table with aligned columns. Texts of the server cannot control the terminal. */
export function columns(texts: readonly (readonly string[])[]): string[] {
  const rows = texts.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { length }] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, length);
    }
  }
  return rows.map((row) =>
    `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd(),
  );
}
