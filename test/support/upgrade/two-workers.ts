import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliDecompressSync } from "node:zlib";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { NETWORK_BINDING } from "#platform/http/outbound.ts";
import { PASSWORD_THREADS_BINDING } from "#platform/secrets/password-key.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { inProject } from "#scripts/lib/project.ts";
import { releaseFiles } from "#scripts/lib/release/fixture.ts";
import { passwordThreads } from "#scripts/lib/runtime/password-threads.ts";
import { readWorkerConfig, type WorkerConfig } from "#scripts/lib/runtime/worker-config.ts";

/** Which of two Workers at once: the one of a release, or that of the code of today. */
export type Side = "old" | "new";

export interface TwoWorkersOptions {
  readonly release: string;
  /** The migrations of D1 that it knows. */
  readonly known: readonly string[];
  /** The folder of the data of objects, databases and queues. */
  readonly dataPath: string;
  /** Whose code objects, queues and workflows run. */
  readonly objects: Side;
  readonly vars: Readonly<Record<string, string>>;
  /** Gets each line of the Workers' logs. */
  readonly onLog: (line: string) => void;
}

/**
 * The Worker of a release and that of today, in one runtime, on the same D1, queues and objects, as in a rollout:
 *
 *     requests ──► old Worker ──┐
 *                               ├──► D1, queues, objects of `florin`, which have the old code or the new
 *     requests ──► new Worker ──┘
 *
 * The Worker whose code the objects have is called `florin`, as the state's objects belong to this name; the other one binds them by
 * `script_name`. Classes that the old Worker does not have are the new one's.
 */
export class TwoWorkers {
  readonly #runtime: Miniflare;
  readonly #names: Readonly<Record<Side, string>>;

  private constructor(runtime: Miniflare, names: Readonly<Record<Side, string>>) {
    this.#runtime = runtime;
    this.#names = names;
  }

  static async open(options: TwoWorkersOptions): Promise<TwoWorkers> {
    const { name, worker } = await readWorkerConfig();
    if (options.objects === "old") hideLater(options);
    const scripts = { old: keptScript(options.release), new: await buildWorker() };
    const oldText = readFileSync(scripts.old, "utf8");
    const names: Record<Side, string> = { old: `${name}-old`, new: `${name}-new` };
    names[options.objects] = name;
    const { assets: _, ...bare } = worker;
    const workers = (["old", "new"] as const).map((side) => ({
      ...bare,
      ...boundTo({ side, host: options.objects, hostName: name, worker, oldText }),
      name: names[side],
      modules: true as const,
      scriptPath: scripts[side],
      bindings: { ...worker.bindings, ...options.vars },
      serviceBindings: {
        ASSETS: `${name}-files`,
        [PASSWORD_THREADS_BINDING]: { node: passwordThreads },
        [NETWORK_BINDING]: { network: { allow: ["public", "private"] } },
      },
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    }));
    const runtime = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        port: 0,
        cf: false,
        logRequests: false,
        log: new Log(LogLevel.WARN),
        handleStructuredLogs: ({ message }) => options.onLog(message),
        resourcePersistencePath: options.dataPath,
        workers: [
          ...workers,
          {
            name: `${name}-files`,
            modules: true,
            script: "export default { fetch: () => new Response(null, { status: 404 }) };",
          },
        ],
      }),
    );
    const both = new TwoWorkers(runtime, names);
    try {
      await both.#begin(options);
      return both;
    } catch (error) {
      await runtime.dispose();
      throw error;
    }
  }

  /** The URL of one of the Workers. */
  async urlOf(side: Side): Promise<string> {
    const { origin } = await this.#runtime.unsafeGetDirectURL(this.#names[side]);
    return origin;
  }

  /**
   * Lets both Workers find migrations that fit, in the order of a rollout: the old one those of its release, the new one all. An isolate that
   * has begun to work goes on when others are added.
   */
  async #begin({ objects, known }: TwoWorkersOptions): Promise<void> {
    if (objects === "new") await this.#ask("new");
    const database = await this.#runtime.getD1Database("DB", this.#names.new);
    const later = MIGRATIONS.filter((migration) => !known.includes(migration));
    const marks = later.map(() => "?").join(", ");
    const remove = `DELETE FROM d1_migrations WHERE name IN (${marks})`;
    await database
      .prepare(remove)
      .bind(...later)
      .run();
    await this.#ask("old");
    const add = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)");
    await database.batch(later.map((migration) => add.bind(migration)));
    await this.#ask("new");
  }

  async #ask(side: Side): Promise<void> {
    const response = await fetch(`${await this.urlOf(side)}/api/ledger/_info`);
    if (!response.ok) throw new Error(`the ${side} Worker answers: ${await response.text()}`);
  }

  async stop(): Promise<void> {
    await this.#runtime.dispose();
  }
}

/** Takes the migrations that a release does not know out of the books of its database, whose file has a hash for its name. */
function hideLater({ dataPath, known }: TwoWorkersOptions): void {
  const folder = join(dataPath, "d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name)) ?? "";
  const database = new DatabaseSync(join(folder, file));
  const names = JSON.stringify(known);
  database
    .prepare("DELETE FROM d1_migrations WHERE name NOT IN (SELECT value FROM json_each(?))")
    .run(names);
  database.close();
}

/** The stored Worker of a release, as a file. The runtime loads modules only from below the project. */
function keptScript(release: string): string {
  const script = inProject("dist/kept", release, "index.js");
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, brotliDecompressSync(readFileSync(releaseFiles(release).worker)));
  return script;
}

interface Binding {
  readonly side: Side;
  /** The side whose Worker has the objects, and its name. */
  readonly host: Side;
  readonly hostName: string;
  readonly worker: WorkerConfig["worker"];
  /** The script of the old Worker, which tells which classes it has. */
  readonly oldText: string;
}

/** The bindings of one side to objects, workflows and queues. */
function boundTo({ side, host, hostName, worker, oldText }: Binding) {
  const objects = Object.entries(worker.durableObjects).flatMap(([binding, object]) => {
    const isOld = oldText.includes(object.className);
    if (side === "old" && !isOld) return [];
    const isOwn = side === host || !isOld;
    return [[binding, isOwn ? object : { ...object, scriptName: hostName }]] as const;
  });
  const workflows = Object.entries(worker.workflows).map(
    ([binding, workflow]) =>
      [binding, side === host ? workflow : { ...workflow, scriptName: hostName }] as const,
  );
  return {
    durableObjects: Object.fromEntries(objects),
    workflows: Object.fromEntries(workflows),
    ...(side === host ? {} : { queueConsumers: {} }),
  };
}
