import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeCloudflare } from "./fake-cloudflare.ts";
import { FakeFlorin } from "./fake-florin.ts";
import { uploadAsWrangler } from "./upload-as-wrangler.ts";
import { deploy, destroy } from "#scripts/deploy/deploy.ts";
import { readOptions } from "#scripts/deploy/options.ts";
import { inProject } from "#scripts/lib/project.ts";

/** An account at Cloudflare, an environment file, and whoever runs `npm run deploy` there. */
export class DeployWorld {
  readonly cloudflare: FakeCloudflare;
  readonly florin: FakeFlorin;
  readonly folder: string;
  readonly file: string;
  /** The output of the last run. */
  output = "";
  /** What is typed at a question; undefined without a terminal. */
  typed: string | undefined;

  /** What a build gives. */
  built = { script: inProject("dist/worker/build/index.js"), assets: "0123456789abcdef" };

  private constructor(cloudflare: FakeCloudflare, florin: FakeFlorin) {
    this.cloudflare = cloudflare;
    this.florin = florin;
    this.folder = mkdtempSync(join(tmpdir(), "florin-deploy-"));
    this.file = join(this.folder, "production.toml");
  }

  /** A world whose environment file has this content below its URL, which is that of the stand-in for the deployment. */
  static async start(content = ""): Promise<DeployWorld> {
    const world = new DeployWorld(await FakeCloudflare.start(), await FakeFlorin.start());
    world.write(`name = "florin" # stays\nurl = "${world.florin.url}"\n${content}`);
    return world;
  }

  async stop(): Promise<void> {
    await this.cloudflare.stop();
    await this.florin.stop();
    rmSync(this.folder, { recursive: true });
  }

  write(content: string): void {
    writeFileSync(this.file, content);
  }

  read(): string {
    return readFileSync(this.file, "utf8");
  }

  /** Whether secrets wait to be shown. */
  get hasPendingSecrets(): boolean {
    return existsSync(join(this.folder, "production.secrets.json"));
  }

  /** The environment of the command. */
  get env(): NodeJS.ProcessEnv {
    return {
      CLOUDFLARE_API_BASE_URL: this.cloudflare.base,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "acc",
    };
  }

  /** Runs the command in this process, with a stand-in for wrangler. */
  async deploy(args: readonly string[] = ["--yes"], env: NodeJS.ProcessEnv = {}): Promise<void> {
    this.output = "";
    const options = readOptions(["--file", this.file, ...args]);
    await (options.destroy ? destroy : deploy)(options, {
      env: { ...this.env, ...env },
      write: (text) => {
        this.output += text;
      },
      ask: async (question) => {
        this.output += question;
        return this.typed;
      },
      build: async () => this.built,
      upload: uploadAsWrangler,
    });
  }
}
