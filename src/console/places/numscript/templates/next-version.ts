/** The version that follows: `v9` becomes `v10`, and `2.1` becomes `2.2`. */
export const nextVersion = (version: string): string =>
  /\d+$/.test(version)
    ? version.replace(/\d+$/, (digits) => String(BigInt(digits) + 1n))
    : `${version}-2`;
