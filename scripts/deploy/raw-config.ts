import * as wrangler from "wrangler";

/** The part of wrangler that reads a configuration as its file has it. Wrangler does not publish the declared type. */
interface ConfigReader {
  readonly experimental_readRawConfig: (args: { config: string }) => { rawConfig: unknown };
}

/** Reads a file of wrangler's formats, and returns its content unchecked. Throws if the file's syntax is wrong. */
export const readRawConfig = (file: string): unknown =>
  (wrangler as unknown as ConfigReader).experimental_readRawConfig({ config: file }).rawConfig;
