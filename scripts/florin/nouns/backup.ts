import { resolve } from "node:path";
import type { DatabaseManifest } from "#scripts/florin/backup/manifest.ts";
import { saveDatabase } from "#scripts/florin/backup/save-database.ts";
import { verifyDatabase } from "#scripts/florin/backup/verify-database.ts";
import { type Call, type Noun, type Outcome, UsageError } from "#scripts/florin/command.ts";

export const noun: Noun = {
  summary: "Backups",
  verbs: {
    database: {
      summary:
        "Saves all tables of the database as they are at one moment, while the server works; ledgers are saved by exports of their logs",
      options: { to: { kind: "text", meaning: "the folder to write, which must not exist" } },
      run: save,
    },
    verify: {
      summary: "Checks that a saved database is complete and unchanged",
      parameters: ["folder"],
      run: verify,
    },
  },
};

async function save(call: Call): Promise<Outcome> {
  const to = call.text("to");
  if (to === undefined || to === "") throw new UsageError("--to is missing: the folder to write.");
  const folder = resolve(to);
  const api = await call.connect(["florin:operate"]);
  const manifest = await saveDatabase(api, folder, call.note);
  return {
    data: { folder, ...manifest },
    lines: [
      `${summaryOf(manifest)} are in ${folder}, as they were at ${manifest.endedAt}.`,
      "Secrets in them are encrypted with the server's FLORIN_SECRET_KEY, which is not in the folder: keep it elsewhere, or nobody can read them.",
    ],
  };
}

async function verify(call: Call): Promise<Outcome> {
  const folder = resolve(call.parameter("folder"));
  const { manifest, problems } = await verifyDatabase(folder);
  const data = { folder, problems, endedAt: manifest.endedAt };
  if (problems.length === 0) {
    return { data, lines: [`${summaryOf(manifest)} are complete and unchanged.`] };
  }
  return {
    data,
    lines: problems,
    failure: `The saved database has ${problems.length} problems.`,
  };
}

function summaryOf({ tables }: DatabaseManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows of ${tables.length} tables`;
}
