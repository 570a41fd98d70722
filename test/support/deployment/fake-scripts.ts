import { z } from "zod";
import {
  bodyOf,
  fakeId,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  gone,
} from "./fake-answer.ts";

const Binding = z.looseObject({
  name: z.string(),
  type: z.string(),
  text: z.string().optional(),
});
const Upload = z.object({
  bindings: z.array(Binding),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
const DeploymentBody = z.object({ versions: z.array(z.object({ version_id: z.string() })) });
const TagsBody = z.object({ tags: z.array(z.string()).optional() });
const SubdomainBody = z.object({ enabled: z.boolean(), previews_enabled: z.boolean() });

/** A binding of a Worker, as wrangler uploads it. */
export type FakeBinding = z.output<typeof Binding>;
interface FakeVersion {
  readonly id: string;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly bindings: readonly FakeBinding[];
}
interface FakeScript {
  readonly secrets: Map<string, string>;
  readonly versions: FakeVersion[];
  running: string | undefined;
  tags: readonly string[];
  subdomain: { readonly enabled: boolean; readonly previews_enabled: boolean };
}
const DATE = "2026-11-01T00:00:00Z";
/** The tag of the last migration of classes, so that an upload has none to make. */
const LAST_CLASS_MIGRATION = "v13";

/** The Workers of the fake of Cloudflare's API. */
export class FakeScripts {
  readonly #scripts = new Map<string, FakeScript>();

  readonly routes: readonly FakeRoute[] = [
    [/^GET workers\/services\/([\w-]+)$/, ([, name = ""]) => this.#service(name)],
    [/^GET workers\/workers\/([\w-]+)$/, ([, name = ""]) => this.#worker(name)],
    [
      /^POST workers\/scripts\/[\w-]+\/assets-upload-session$/,
      () => ({ result: { jwt: "jwt", buckets: [] } }),
    ],
    [
      /^PUT workers\/scripts\/([\w-]+)$/,
      async ([, name = ""], call) => ({ result: await this.#upload(name, call, true) }),
    ],
    [
      /^(GET|POST|PATCH|DELETE) workers\/scripts\/([\w-]+)(?:\/(\S+))?$/,
      ([, method = "", name = "", rest = ""], call) =>
        this.#script(name, `${method} ${rest}`, call),
    ],
  ];

  /** What stands there, without what differs from run to run. */
  state() {
    return [...this.#scripts].map(([name, { secrets, running, tags, subdomain }]) => ({
      name,
      secrets: [...secrets.keys()].toSorted(),
      bindings: this.bindingsOf(name).filter(({ type }) => type !== "secret_text"),
      isComplete: tags.includes(`florin:complete=${running}`),
      subdomain,
    }));
  }

  secretsOf(name: string): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#scripts.get(name)?.secrets ?? []);
  }

  /** The variables and other bindings of the running version. */
  bindingsOf(name: string): readonly FakeBinding[] {
    const script = this.#scripts.get(name);
    return script?.versions.find(({ id }) => id === script.running)?.bindings ?? [];
  }

  #service(name: string): FakeAnswer {
    const script = this.#scripts.get(name);
    if (script === undefined) return gone(10_090);
    const about = { tags: script.tags, last_deployed_from: "wrangler" };
    return { result: { default_environment: { environment: "production", script: about } } };
  }

  #worker(name: string): FakeAnswer {
    const script = this.#scripts.get(name);
    return script === undefined ? gone(10_007) : { result: { name, ...script } };
  }

  async #script(name: string, line: string, call: FakeCall): Promise<FakeAnswer> {
    const script = this.#scripts.get(name);
    if (script === undefined) return gone(10_007);
    if (line === "POST versions") return { result: await this.#upload(name, call, false) };
    if (line === "DELETE ") {
      this.#scripts.delete(name);
      return { result: null };
    }
    const result = readScript(script, line) ?? changeScript(script, line, call);
    if (result === undefined) throw new Error(`the fake does not know ${line} of a Worker`);
    return { result };
  }

  /** Stores a version of a Worker; secrets that it does not name stay. */
  async #upload(name: string, { headers, body }: FakeCall, runs: boolean) {
    const form = await new Response(new Uint8Array(body), {
      headers: { "content-type": headers["content-type"] ?? "" },
    }).formData();
    const metadata = form.get("metadata");
    if (typeof metadata !== "string") throw new Error("an upload has metadata");
    const upload = bodyOf(Upload, Buffer.from(metadata));
    const script = this.#scripts.get(name) ?? newScript();
    this.#scripts.set(name, script);
    for (const { name: secret, type, text = "" } of upload.bindings) {
      if (type === "secret_text") script.secrets.set(secret, text);
    }
    const id = fakeId();
    const { annotations = {}, bindings } = upload;
    script.versions.push({ id, annotations, bindings });
    if (runs) script.running = id;
    const resources = { script: { etag: "e" } };
    return { id, deployment_id: id.replaceAll("-", ""), startup_time_ms: 5, resources };
  }
}

const newScript = (): FakeScript => ({
  secrets: new Map(),
  versions: [],
  running: undefined,
  tags: [],
  subdomain: { enabled: false, previews_enabled: false },
});

function readScript(script: FakeScript, line: string): unknown {
  switch (line) {
    case "GET secrets":
      return [...script.secrets.keys()].map((name) => ({ name, type: "secret_text" }));
    case "GET deployments": {
      if (script.running === undefined) return { deployments: [] };
      const versions = [{ version_id: script.running, percentage: 100 }];
      const latest = { id: "d", source: "wrangler", created_on: DATE, versions };
      return { deployments: [latest] };
    }
    case "GET settings":
      return { migration_tag: LAST_CLASS_MIGRATION, bindings: [] };
    case "GET script-settings":
      return { tags: script.tags };
    case "GET subdomain":
      return script.subdomain;
    default: {
      const version = script.versions.find(({ id }) => line === `GET versions/${id}`);
      return version === undefined
        ? undefined
        : { ...version, metadata: { created_on: DATE }, resources: { bindings: version.bindings } };
    }
  }
}

function changeScript(script: FakeScript, line: string, { body }: FakeCall): unknown {
  switch (line) {
    case "POST deployments": {
      const { versions } = bodyOf(DeploymentBody, body);
      script.running = versions[0]?.version_id;
      return { id: "d" };
    }
    case "PATCH script-settings":
      script.tags = bodyOf(TagsBody, body).tags ?? script.tags;
      return { tags: script.tags };
    case "POST subdomain":
      script.subdomain = bodyOf(SubdomainBody, body);
      return script.subdomain;
    default:
      return undefined;
  }
}
