import { type Nouns, UsageError, type Verb } from "./command.ts";
import { COMMON_OPTIONS } from "./help.ts";
import { shellWord } from "#scripts/lib/shell-word.ts";

/** The words that may follow the words typed so far: nouns at the start, verbs after a noun, options after noun and verb. */
export function completions(nouns: Nouns): ReadonlyMap<string, readonly string[]> {
  const entries: [string, readonly string[]][] = [["", [...Object.keys(nouns), "completion"]]];
  entries.push(["completion", Object.keys(SHELLS)]);
  for (const [noun, { alone, verbs }] of Object.entries(nouns)) {
    entries.push([noun, [...Object.keys(verbs), ...(alone === undefined ? [] : optionsOf(alone))]]);
    for (const [name, verb] of Object.entries(verbs)) {
      entries.push([`${noun} ${name}`, optionsOf(verb)]);
    }
  }
  return new Map(entries);
}

const optionsOf = ({ options = {} }: Verb): string[] =>
  Object.keys({ ...options, ...COMMON_OPTIONS }).map((name) => `--${name}`);

/**
 * A script for a shell that makes `florin` a command in every folder, and completes its nouns, verbs and options without starting a
 * program. `program` is the program of the command line and its first argument. Throws `UsageError` for an unknown shell.
 */
export function completionScript(shell: string, program: readonly string[], nouns: Nouns): string {
  const complete = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (complete === undefined) {
    throw new UsageError(
      `There is no completion for '${shell}'. There is one for ${Object.keys(SHELLS).join(" and ")}.`,
    );
  }
  const command = `florin() { ${program.map(shellWord).join(" ")} "$@"; }`;
  const cases = [...completions(nouns)].map(
    ([words, next]) => `    ${shellWord(words)}) echo ${shellWord(next.join(" "))} ;;`,
  );
  const table = ["_florin_words() {", '  case "$1" in', ...cases, "  esac", "}"];
  return [`# Load it with: source <(florin completion ${shell})`, command, ...table, complete].join(
    "\n",
  );
}

const SHELLS: Readonly<Record<string, string>> = {
  bash: `_florin() {
  local before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  [ "$COMP_CWORD" -le 3 ] || before="\${COMP_WORDS[*]:1:2}"
  COMPREPLY=($(compgen -W "$(_florin_words "$before")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _florin florin`,
  zsh: `_florin() {
  local before="\${words[2,CURRENT-1]}"
  (( CURRENT <= 4 )) || before="\${words[2,3]}"
  compadd -- \${=$(_florin_words "$before")}
}
compdef _florin florin`,
};
