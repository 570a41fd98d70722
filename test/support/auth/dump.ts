/** The content of a database as one text, in which tests search for secrets. */
export async function dumpOf(db: D1Database): Promise<string> {
  const tables = await db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    .all<{ name: string }>();
  const rows = await Promise.all(
    tables.results.map(
      async ({ name }) => (await db.prepare(`SELECT * FROM "${name}"`).all()).results,
    ),
  );
  return JSON.stringify(rows);
}
