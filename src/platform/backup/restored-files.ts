/** A file of an object as its backup has it. */
export interface WantedFile {
  /** The id of the file. */
  readonly file: string;
  readonly bytes: number;
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** A piece of a file. */
export interface SavedFilePiece {
  readonly file: string;
  /** The number of pieces that come before. */
  readonly place: number;
  readonly bytes: Uint8Array;
}

/** How far a file has come. */
export interface FileProgress {
  /** `open`: pieces are to come; `complete`: all are there; `left-out`: no row of the object needs the file. */
  readonly state: "open" | "complete" | "left-out";
  /** The number of pieces that are there. */
  readonly pieces: number;
  /** The length of each piece but the last one. */
  readonly pieceBytes: number;
}

/** What takes the files of an object that comes back, between its rows and the end. Each call may come twice, and is in one transaction. */
export interface RestoredFiles {
  /** Throws `CONFLICT` for a file that is another one than the rows say. */
  readonly begin: (file: WantedFile) => FileProgress;
  /**
   * Takes the next piece. With the last one, the bytes are compared with their hash; where they are others, all have to come again, which `begin`
   * says. Throws `CONFLICT` where one is missing, and `VALIDATION` for a piece of another length.
   */
  readonly add: (piece: SavedFilePiece) => void;
}
