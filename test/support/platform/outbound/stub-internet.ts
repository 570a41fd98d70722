import type { LookupAddress } from "node:dns";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import type { NetworkPorts } from "#scripts/lib/runtime/public-network.ts";

/**
 * An internet in which a test assigns addresses to names. Each connection goes to this machine, at the port that was asked for,
 * and the address is recorded.
 */
export class StubInternet {
  /** The names that were looked up, in the order of the lookups. */
  readonly lookups: string[] = [];
  /** The addresses to which each connection would have gone. */
  readonly connections: string[][] = [];
  readonly ports: NetworkPorts;
  readonly #answers = new Map<string, string[][]>();

  constructor() {
    const divert = (lookup: LookupFunction | undefined): LookupFunction => this.#divert(lookup);
    this.ports = {
      resolve: (name) => this.#resolve(name),
      agents: {
        http: withLookup(new HttpAgent({ keepAlive: true }), divert),
        https: withLookup(new HttpsAgent({ keepAlive: true }), divert),
      },
    };
  }

  /** Assigns addresses to a name: those of its first lookup, of its second lookup, and so on. The last ones stay. */
  register(name: string, ...answers: string[][]): void {
    this.#answers.set(name, answers);
  }

  async #resolve(name: string): Promise<string[]> {
    this.lookups.push(name);
    const [answer, ...later] = this.#answers.get(name) ?? [];
    if (answer === undefined) throw new Error(`${name} is not registered`);
    if (later.length > 0) this.#answers.set(name, later);
    return answer;
  }

  #divert(lookup: LookupFunction | undefined): LookupFunction {
    return (name, options, callback) => {
      if (lookup === undefined) throw new Error("a connection is made without a lookup");
      lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null || typeof found === "string") return callback(error, []);
        this.connections.push(found.map(({ address }) => address));
        return callback(null, LOOPBACK);
      });
    };
  }
}

const LOOPBACK: LookupAddress[] = [{ address: "127.0.0.1", family: 4 }];

/** An agent whose connections use another lookup. */
function withLookup<A extends HttpAgent>(
  agent: A,
  change: (lookup: LookupFunction | undefined) => LookupFunction,
): A {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) =>
    create({ ...options, lookup: change(options.lookup) }, callback);
  return agent;
}
