import { asMetadata, type HostileField } from "./field.ts";
import { type HostileOwners, RECONCILIATION } from "./owners.ts";

const rulePage = (id: string): string => `/reconciliation/rules/${id}`;
const sourcePage = (id: string): string => `/reconciliation/sources/${id}`;
const policyPage = (id: string): string => `/reconciliation/policies/${id}`;
const alertPage = (id: string): string => `/reconciliation/alerts/${id}`;
const FLORIN_RECONCILIATION = "/api/florin/v1/reconciliation";
const NAME = { limit: 255, refuses: { long: "the name has more than 255 characters" } };
const POOL = "7f0e6f0a-30a3-4c0e-bd8e-6e1c0f0a4b55";

/** A filter that no list of addresses can say, so that pages show it as JSON. */
const withText = (text: string) => ({ $match: { "metadata[note]": text } });
const asJson = (text: string): string => text.replaceAll('"', String.raw`\"`);

export function reconciliationFields({ alert }: HostileOwners): readonly HostileField[] {
  const rule = (fields: object) => ({
    name: "of texts",
    templateKind: "account_threshold",
    templateSpec: {
      ledger: "books",
      query: { $match: { address: "bank" } },
      bounds: { "EUR/2": { min: 0 } },
    },
    ...fields,
  });
  const policy = (fields: object) => ({
    name: "of texts",
    ledgerName: "books",
    paymentsPoolID: POOL,
    ...fields,
  });
  const silence = (fields: object) => ({ by: "Ada", until: "2999-01-01T00:00:00Z", ...fields });
  return [
    {
      name: "rule",
      page: rulePage,
      path: `${RECONCILIATION}/rules`,
      body: (text) => rule({ name: text }),
      ...NAME,
    },
    {
      name: "label of a rule",
      page: rulePage,
      path: `${RECONCILIATION}/rules`,
      body: (text) => rule({ labels: asMetadata(text) }),
      limit: 100,
      refuses: { long: "names of labels have at most 100 characters" },
    },
    {
      name: "filter of a rule",
      page: rulePage,
      path: `${RECONCILIATION}/rules`,
      body: (text) =>
        rule({
          templateSpec: {
            ledger: "books",
            query: withText(text),
            bounds: { "EUR/2": { min: 0 } },
          },
        }),
      shownAs: asJson,
      limit: 8000,
      refuses: { long: "query has more than 8192 characters as JSON" },
    },
    {
      name: "source",
      page: sourcePage,
      path: `${FLORIN_RECONCILIATION}/sources`,
      body: (text) => ({ name: text, kind: "statement" }),
      ...NAME,
    },
    {
      name: "account of a source",
      page: sourcePage,
      path: `${FLORIN_RECONCILIATION}/sources`,
      body: (text) => ({ name: "of texts", kind: "statement", account: text }),
      limit: 1024,
      refuses: { long: "1024" },
    },
    {
      name: "policy",
      page: policyPage,
      path: `${RECONCILIATION}/policies`,
      body: (text) => policy({ name: text }),
      ...NAME,
    },
    {
      name: "filter of a policy",
      page: policyPage,
      path: `${RECONCILIATION}/policies`,
      body: (text) => policy({ ledgerQuery: withText(text) }),
      shownAs: asJson,
      limit: 8000,
      refuses: { long: "ledgerQuery has more than 8192 characters as JSON" },
    },
    {
      name: "who silences an alert",
      page: alertPage,
      path: `${RECONCILIATION}/alerts/${alert}/snooze`,
      body: (text) => silence({ by: text }),
      limit: 255,
      refuses: { long: "by has at most 255 characters" },
    },
    {
      name: "note of an alert",
      page: alertPage,
      path: `${RECONCILIATION}/alerts/${alert}/snooze`,
      body: (text) => silence({ note: text }),
      limit: 2000,
      refuses: { long: "note has at most 2000 characters" },
    },
  ];
}
