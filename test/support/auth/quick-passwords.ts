import crypto, { type BinaryLike, type ScryptOptions } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { PASSWORD_COST } from "./password-cost.ts";

// Loaded first by a server, this file lowers the cost of password hashes, for tests in which the duration of a login does not
// matter.

type Done = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;

function quickScrypt(...work: [BinaryLike, BinaryLike, number, ScryptOptions, Done]): void {
  const [password, salt, length, options, done] = work;
  scrypt(password, salt, length, { ...options, ...PASSWORD_COST }, done);
}

Object.assign(crypto, { scrypt: quickScrypt });
syncBuiltinESMExports();
