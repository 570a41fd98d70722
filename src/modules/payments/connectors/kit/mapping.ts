/** The row of a mapping table; undefined for a name that it does not have, which every provider sends some day. */
export const rowOf = <Row>(
  table: Readonly<Record<string, Row>>,
  name: string | null | undefined,
): Row | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
