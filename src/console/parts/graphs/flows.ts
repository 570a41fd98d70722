import type { Integer } from "#openapi";

/** What a picture of money needs to know of a posting. */
export interface FlowPosting {
  readonly source: string;
  readonly destination: string;
  readonly amount: Integer;
  readonly asset: string;
}

/** An account in a picture, or those that have no place in it. */
export interface FlowNode {
  readonly id: string;
  /** The address; absent for the accounts that have no place. */
  readonly address: string | undefined;
  /** How many accounts the node stands for. */
  readonly accounts: number;
  readonly received: bigint;
  readonly sent: bigint;
}

/** All that went from one node to another one. */
export interface FlowLink {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
}

/** Who paid whom in one asset. */
export interface Flow {
  readonly asset: string;
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
  /** Whether money can come back to where it was, so that no order of columns fits. */
  readonly hasCycle: boolean;
}

/** Most accounts that have a place in a picture. */
const ACCOUNTS_MAX = 10;
/** The ids of the nodes for accounts without a place. No address has a space. */
const OTHER_SOURCES = " sources";
const OTHER_DESTINATIONS = " destinations";

/**
 * Postings as one flow for each asset, in the order of the assets. Accounts that move least have no place in a large picture: as sources they are one
 * node, and as destinations another one, so that they never make a circle. A picture around one account shows each other account on both sides of
 * it, if it is a source and a destination; what the account sends to itself is left out.
 */
export function flowsOf(postings: readonly FlowPosting[], center?: string): readonly Flow[] {
  const byAsset = new Map<string, FlowPosting[]>();
  for (const posting of postings) {
    const found = byAsset.get(posting.asset);
    if (found === undefined) byAsset.set(posting.asset, [posting]);
    else found.push(posting);
  }
  return Array.from(byAsset, ([asset, items]) => flowOf(asset, items, center));
}

function flowOf(asset: string, paid: readonly FlowPosting[], center: string | undefined): Flow {
  const postings =
    center === undefined ? paid : paid.filter(({ source, destination }) => source !== destination);
  const placed = placedAccounts(postings);
  const nodes = new Map<string, { received: bigint; sent: bigint; addresses: Set<string> }>();
  const links = new Map<string, FlowLink>();
  const at = (address: string, others: string) => {
    const side = center === undefined || address === center ? "" : `${others} `;
    const id = placed.has(address) ? `${side}${address}` : others;
    const node = nodes.get(id) ?? { received: 0n, sent: 0n, addresses: new Set() };
    nodes.set(id, node);
    node.addresses.add(address);
    return { id, node };
  };
  for (const posting of postings) {
    const amount = BigInt(posting.amount);
    const from = at(posting.source, OTHER_SOURCES);
    const to = at(posting.destination, OTHER_DESTINATIONS);
    from.node.sent += amount;
    to.node.received += amount;
    const key = `${from.id}\n${to.id}`;
    const before = links.get(key)?.amount ?? 0n;
    links.set(key, { source: from.id, destination: to.id, amount: before + amount });
  }
  const all = [...links.values()];
  return {
    asset,
    nodes: Array.from(nodes, ([id, { received, sent, addresses }]) => ({
      id,
      address: addressOf(id),
      accounts: addresses.size,
      received,
      sent,
    })),
    links: all,
    hasCycle: hasCycle(all),
  };
}

/** The address of a node; undefined for accounts without a place. */
function addressOf(id: string): string | undefined {
  if (id === OTHER_SOURCES || id === OTHER_DESTINATIONS) return undefined;
  return id.slice(id.lastIndexOf(" ") + 1);
}

/** The accounts that move most. */
function placedAccounts(postings: readonly FlowPosting[]): ReadonlySet<string> {
  const moved = new Map<string, bigint>();
  for (const { source, destination, amount } of postings) {
    for (const address of [source, destination])
      moved.set(address, (moved.get(address) ?? 0n) + BigInt(amount));
  }
  const ranked = [...moved].toSorted(([, a], [, b]) => Number(b > a) - Number(a > b));
  return new Set(ranked.slice(0, ACCOUNTS_MAX).map(([address]) => address));
}

/** Whether links lead in a circle: nodes that nothing leads to are taken away until none is left, or a circle. */
function hasCycle(links: readonly FlowLink[]): boolean {
  let left = links;
  while (left.length > 0) {
    const reached = new Set(left.map(({ destination }) => destination));
    const next = left.filter(({ source }) => reached.has(source));
    if (next.length === left.length) return true;
    left = next;
  }
  return false;
}
