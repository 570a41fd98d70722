import { execFileSync, spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "#test/support/platform/eventually.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const IMAGE = `florin-test-${process.pid}`;
const docker = (...args: string[]): string =>
  execFileSync("docker", args, { encoding: "utf8" }).trim();

/** The image can be built where a daemon runs and has, or reaches, the base image. */
const hasDaemon = spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0;

describe.runIf(hasDaemon)("the image", () => {
  let container: string;
  let url: string;

  beforeAll(() => {
    docker("build", "--tag", IMAGE, ROOT);
    const options = ["--detach", "--publish", "127.0.0.1::8787", "--volume", "/data"];
    container = docker(
      "run",
      ...options,
      "--env",
      "FLORIN_PUBLIC_URL=http://localhost:8787",
      IMAGE,
    );
    url = `http://${docker("port", container, "8787")}`;
  });

  afterAll(() => {
    docker("rm", "--force", "--volumes", container);
    docker("rmi", IMAGE);
  });

  const health = async (): Promise<unknown> => (await fetch(`${url}/versions`)).status;

  test("the image answers, keeps its state over a restart, and runs commands", async () => {
    await eventually(async () => expect(await health()).toBe(200));
    expect(docker("exec", container, "florin", "keys", "list", "--json")).toMatch(/^\[/);
    docker("restart", container);
    url = `http://${docker("port", container, "8787")}`;
    await eventually(async () => expect(await health()).toBe(200));
    const secret = docker("exec", container, "cat", "/data/client-secret");
    expect(secret).toMatch(/^[0-9a-f]{48}$/);
    expect(docker("logs", container)).not.toContain(secret);
  });

  test("the image ends at once when it is told to", () => {
    docker("stop", "--time", "30", container);
    expect(docker("inspect", "--format", "{{.State.ExitCode}}", container)).toBe("0");
  });
});
