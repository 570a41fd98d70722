import type { PluginConfig } from "#modules/payments/connectors/config.ts";
import type {
  ConnectorKind,
  FetchPage,
  FetchRequest,
  Plugin,
  PluginStore,
  StoredText,
} from "#modules/payments/connectors/contract.ts";
import { providerFetch } from "#modules/payments/connectors/kit/http.ts";
import { present } from "#platform/assert.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** A store of a plugin in memory. */
export function memoryStore(): PluginStore {
  const texts = new Map<string, string>();
  const named = (prefix: string): StoredText[] =>
    [...texts]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => ({ name, value }));
  return {
    find: async (name) => texts.get(name),
    list: async (prefix) => named(prefix),
    insert: async (...inserted) => {
      if (texts.has(inserted[0].name)) return false;
      for (const { name, value } of inserted) texts.set(name, value);
      return true;
    },
    removeByPrefix: async (prefix) => {
      for (const { name } of named(prefix)) texts.delete(name);
    },
  };
}

export const NOW = present(parseTimestamp("2026-03-01T09:30:00Z"), "the time is valid");

/** A plugin of a kind, with a function as its provider. */
export function openPlugin(
  kind: ConnectorKind,
  config: PluginConfig,
  answer: (request: Request) => Response | Promise<Response> = () => new Response(null),
): Plugin {
  return kind.create(config, {
    fetch: providerFetch({
      fetch: async (url, init) => answer(new Request(url, init)),
      policy: { allowPrivateHosts: true },
      gate: OPEN_GATE,
      secrets: [],
    }),
    clock: () => NOW,
    store: memoryStore(),
  });
}

/** Fetches all pages after a state. States pass through JSON, as stored states do. */
export async function fetchAll<Item>(
  fetchPage: ((request: FetchRequest) => Promise<FetchPage<Item>>) | undefined,
  {
    state,
    pageSize = 3,
    now,
  }: { state?: unknown; pageSize?: number; now?: Timestamp | undefined } = {},
): Promise<{ items: Item[]; state: unknown; pages: number }> {
  if (fetchPage === undefined) throw new Error("the plugin does not offer this");
  const items: Item[] = [];
  for (let pages = 1; ; pages++) {
    const page = await fetchPage({ state, pageSize, ...(now === undefined ? {} : { now }) });
    items.push(...page.items);
    state = page.state === undefined ? undefined : parseJson(stringifyJson(page.state));
    if (!page.hasMore) return { items, state, pages };
  }
}
