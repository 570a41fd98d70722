import { bounded, fail, type RunState } from "./state.ts";
import { FEATURES } from "#numscript/features.ts";
import type { Call, ValueType } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import { type Monetary, printValue, type Value, type ValueOf } from "#numscript/values/values.ts";

/** The value of a call. `meta()` is an error here: `bindVariables` handles it, because its type is that of its variable. */
export function callFunction(state: RunState, call: Call, values: readonly Value[]): Value {
  const { name, range } = call;
  switch (name) {
    case "balance": {
      const given = new Arguments(call, values, 2);
      const balance = readBalance(state, given);
      if (balance.amount >= 0n) return balance;
      const { name: account } = given.at(0, "account");
      const message = `Cannot fetch negative balance from account @${account}`;
      return fail("negative-balance", message, range);
    }
    case "overdraft": {
      state.require(FEATURES.overdraftFunction, range);
      const { type, asset, amount } = readBalance(state, new Arguments(call, values, 2));
      return { type, asset, amount: amount < 0n ? -amount : 0n };
    }
    case "get_asset": {
      state.require(FEATURES.getAssetFunction, range);
      return { type: "asset", name: new Arguments(call, values, 1).at(0, "monetary").asset };
    }
    case "get_amount": {
      state.require(FEATURES.getAmountFunction, range);
      return { type: "number", value: new Arguments(call, values, 1).at(0, "monetary").amount };
    }
    case "meta": {
      const message =
        "Invalid usage of meta() function: the meta function cannot be nested in a sub-expression.";
      return fail("invalid-meta-call", message, range);
    }
    default:
      return unknownFunction(call);
  }
}

/** The error for a function that does not exist, or is not allowed here. */
export const unknownFunction = ({ name, nameRange }: Call): never =>
  fail("unknown-function", `Invalid function: ${name}`, nameRange);

/** The arguments of a call. Errors refer to the whole call. */
export class Arguments {
  readonly #call: Call;
  readonly #values: readonly Value[];

  constructor(call: Call, values: readonly Value[], count: number) {
    this.#call = call;
    this.#values = values;
    if (values.length === count) return;
    const message = `Bad arity: expected ${count} arguments (got ${values.length} instead)`;
    fail("wrong-arity", message, call.range);
  }

  get range(): Range {
    return this.#call.range;
  }

  at<T extends ValueType>(index: number, type: T): ValueOf<T> {
    return asType(this.any(index), type, this.range);
  }

  any(index: number): Value {
    return this.#values[index] ?? unknownFunction(this.#call);
  }
}

/** Returns the value. Throws if it is not of this type. */
export function asType<T extends ValueType>(value: Value, type: T, range: Range): ValueOf<T> {
  return isOfType(value, type) ? value : typeMismatch(type, value, range);
}

export function typeMismatch(expected: string, value: Value, range: Range): never {
  const message = `Invalid value received. Expecting value of type ${expected} (got ${printValue(value)} instead)`;
  return fail("type-mismatch", message, range);
}

const isOfType = <T extends ValueType>(value: Value, type: T): value is ValueOf<T> =>
  value.type === type;

/** The balance of an account at this point of the run. It is read if nothing is known about it. */
function readBalance({ balances }: RunState, given: Arguments): Monetary {
  const { name: account } = given.at(0, "account");
  const { name: asset } = given.at(1, "asset");
  balances.want(account, asset);
  balances.read();
  return { type: "monetary", asset, amount: bounded(balances.get(account, asset), given.range) };
}
