import { readFileSync } from "node:fs";
import { z } from "zod";
import { type CloudflareAccess, CloudflareApi } from "#scripts/deploy/cloudflare.ts";
import type { Upload } from "#scripts/deploy/wrangler.ts";

const Queues = z.array(z.object({ queue_id: z.string() }));

/** Sends what `wrangler deploy` sends, as far as it changes something, without the seconds that wrangler takes. */
export async function uploadAsWrangler(access: CloudflareAccess, upload: Upload): Promise<void> {
  const { config } = upload;
  const api = new CloudflareApi(access);
  const script = `workers/scripts/${config.name}`;
  const send = (method: "POST" | "PUT", path: string, body: unknown): Promise<unknown> =>
    api.change(path, { method, body }, z.unknown());
  await sendVersion(access, upload);
  await send("POST", `${script}/subdomain`, {
    enabled: config.workers_dev,
    previews_enabled: config.preview_urls,
  });
  for (const { queue, max_retries: retries, dead_letter_queue: dead } of config.queues?.consumers ??
    []) {
    const [found] = (await api.read(`queues?name=${queue}`, Queues)) ?? [];
    await send("POST", `queues/${found?.queue_id}/consumers`, {
      script_name: config.name,
      settings: { max_retries: retries },
      dead_letter_queue: dead,
    });
  }
  for (const { name, class_name: className, jurisdiction } of config.workflows ?? []) {
    const body = { script_name: config.name, class_name: className, jurisdiction };
    await send("PUT", `workflows/${name}`, body);
  }
}

async function sendVersion(
  { base, token, accountId }: CloudflareAccess,
  { config, secretsFile, fingerprint }: Upload,
): Promise<void> {
  const secrets = z
    .record(z.string(), z.string())
    .parse(secretsFile === undefined ? {} : JSON.parse(readFileSync(secretsFile, "utf8")));
  const bindings = [
    ...Object.entries(secrets).map(([name, text]) => ({
      type: "secret_text",
      name,
      text,
    })),
    ...Object.entries(config.vars ?? {}).map(([name, text]) => ({
      type: "plain_text",
      name,
      text,
    })),
    ...(config.d1_databases ?? []).map(({ binding, database_id: id }) => ({
      type: "d1",
      name: binding,
      id,
    })),
  ];
  const form = new FormData();
  form.set("metadata", JSON.stringify({ bindings, annotations: { "workers/tag": fingerprint } }));
  const response = await fetch(`${base}/accounts/${accountId}/workers/scripts/${config.name}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  if (!response.ok) throw new Error(`the upload is answered ${response.status}`);
}
