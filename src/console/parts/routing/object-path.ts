/** The pages of objects by the first segments of their names. Connectors have none here, because the audit keeps a part of their ids only. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["alerts", "/reconciliation/alerts"],
  ["bank-accounts", "/payments/bank-accounts"],
  ["bookings", "/payments/bookings"],
  ["clients", "/access/clients"],
  ["configs", "/developers/webhooks"],
  ["instances", "/workflows/instances"],
  ["ledgers", "/ledgers"],
  ["matchings", "/reconciliation/matchings"],
  ["payment-initiations", "/payments/initiations"],
  ["policies", "/reconciliation/policies"],
  ["pools", "/payments/pools"],
  ["rules", "/reconciliation/rules"],
  ["sources", "/reconciliation/sources"],
  ["triggers", "/workflows/triggers"],
  ["users", "/access/people"],
  ["workflows", "/workflows"],
]);

/** The path of an object's page; for a part of an object, such as a client's secret, that of the object. */
export function pathOfObject(object: string): string | undefined {
  const [kind = "", id = ""] = object.split("/");
  const page = PAGES.get(kind);
  return page === undefined || id === "" ? undefined : `${page}/${encodeURIComponent(id)}`;
}
