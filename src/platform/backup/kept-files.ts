/** A file that an object keeps beside its tables, and that never changes. */
export interface KeptFile {
  /** The name of the object. */
  readonly name: string;
  /** The id of the file, which no other file of the object has. */
  readonly file: string;
  /** Its length. */
  readonly bytes: number;
  /** The SHA-256 of its bytes, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Some files, and behind which number the next ones are; absent on the last page. */
export interface KeptFilePage {
  readonly files: readonly KeptFile[];
  readonly next?: number;
}

/** The files of all objects of a class. What a file is, the database and the rows of its object say; its bytes are elsewhere. */
export interface KeptFiles {
  /** A page of the files, behind a number that the page before gave; 0 for the first one. */
  readonly after: (env: Env, after: number) => Promise<KeptFilePage>;
  /** The bytes of a file, piece by piece, wherever they are. Throws `NOT_FOUND` with the first piece for a file that is gone. */
  readonly read: (env: Env, place: Pick<KeptFile, "name" | "file">) => AsyncIterable<Uint8Array>;
}
