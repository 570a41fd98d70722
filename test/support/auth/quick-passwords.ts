import crypto, { type BinaryLike, type ScryptOptions } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { PASSWORD_COST } from "./password-cost.ts";

// A server that loads this first does the least work with passwords, for tests that log in and do not ask how long it takes.

type Done = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;

function quickScrypt(...work: [BinaryLike, BinaryLike, number, ScryptOptions, Done]): void {
  const [password, salt, length, options, done] = work;
  scrypt(password, salt, length, { ...options, ...PASSWORD_COST }, done);
}

Object.assign(crypto, { scrypt: quickScrypt });
syncBuiltinESMExports();
