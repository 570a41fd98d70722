import { existsSync, readdirSync } from "node:fs";
import { inProject } from "#scripts/lib/project.ts";

/** A page of the guide. */
export interface GuidePage {
  /** The path of the source in the project. */
  readonly source: string;
  /** The path of the page on the site without its ending: `operations/backup`, or `index` for the front. */
  readonly page: string;
  /** Its name in the sidebar. */
  readonly name: string;
}

/** Pages that belong together, as the sidebar shows them. */
export interface Chapter {
  readonly name: string;
  /** Whether the sidebar leaves the chapter out, because a page leads to all of its pages. */
  readonly isHidden?: boolean;
  readonly pages: readonly GuidePage[];
}

/** A page from `docs`, where its source and its page have the same path. */
const doc = (page: string, name: string): GuidePage => ({
  source: `docs/${page}.md`,
  page,
  name,
});

const CONNECTORS = "src/modules/payments/connectors";

/** The pages of the connectors, which lie beside their code. */
const connectorPages = (): GuidePage[] =>
  readdirSync(inProject(CONNECTORS))
    .filter((name) => existsSync(inProject(CONNECTORS, name, "README.md")))
    .toSorted()
    .map((name) => ({
      source: `${CONNECTORS}/${name}/README.md`,
      page: `connectors/${name}`,
      name,
    }));

/** The guide, in the order of its sidebar. */
export const chapters = (): readonly Chapter[] => [
  {
    name: "Begin",
    pages: [
      { ...doc("quickstart", "Quickstart"), page: "index" },
      doc("concepts", "Concepts"),
      doc("modules", "What works"),
      doc("clients", "CLI, Terraform, SDKs"),
      doc("embedded-ledger", "In your own process"),
    ],
  },
  {
    name: "Guides",
    pages: [
      doc("guides/marketplace", "A marketplace"),
      doc("guides/wallet-with-holds", "A wallet with holds"),
      doc("guides/card-programme", "A card programme"),
      doc("guides/reconcile-a-provider", "Reconcile a provider"),
      doc("guides/from-formance", "Move from Formance"),
    ],
  },
  {
    name: "Parts",
    pages: [
      { source: "src/numscript/README.md", page: "numscript", name: "Numscript" },
      doc("connectors", "Connectors"),
      doc("orchestration", "Orchestration"),
      { source: "src/expr/README.md", page: "expressions", name: "Expressions" },
      doc("reconciliation", "Reconciliation"),
      doc("webhooks", "Webhooks"),
      doc("streams", "Streams of a ledger"),
      doc("exporters", "Exporters"),
      doc("search", "Search"),
      doc("auth", "Auth"),
      { source: "src/console/README.md", page: "console", name: "Console" },
    ],
  },
  {
    name: "Operations",
    pages: [
      doc("deployment", "Deployment"),
      doc("operations", "Operations"),
      doc("operations/runbook", "Runbook"),
      doc("operations/backup", "The format of a backup"),
      doc("operations/scheduled-backups", "Scheduled backups"),
      doc("operations/disarmed", "Stop and arm"),
      doc("outbound-calls", "Calls to other servers"),
    ],
  },
  {
    name: "Reference",
    pages: [
      doc("settings", "Settings"),
      doc("sizes", "Sizes"),
      doc("limits", "Limits"),
      doc("command-line", "Command line"),
      doc("differences", "Differences from Formance"),
      doc("generic-connector/README", "The generic connector"),
      { source: "CHANGELOG.md", page: "changelog", name: "Changelog" },
    ],
  },
  {
    name: "Trust",
    pages: [
      doc("security", "Security"),
      doc("testing", "How it is tested"),
      doc("cost", "What it costs"),
      doc("performance", "Performance"),
    ],
  },
  { name: "Providers", isHidden: true, pages: connectorPages() },
  {
    name: "Inside",
    pages: [
      doc("architecture", "Architecture"),
      doc("storage", "How a ledger is stored"),
      {
        source: "src/modules/ledger/answers/README.md",
        page: "answers",
        name: "Answers of a ledger",
      },
      {
        source: "src/modules/reconciliation/core/statements/README.md",
        page: "statements",
        name: "Statements",
      },
      doc("upgrades", "Upgrades"),
      doc("auth-conformance", "Conformance of auth"),
      doc("performance/laboratory-book", "Laboratory book"),
      doc("development", "Development"),
      { source: "CONTRIBUTING.md", page: "contributing", name: "Contributing" },
      { source: "AGENTS.md", page: "agents", name: "Map and rules" },
    ],
  },
];
