/** One thing that a confined server sees of the file system, at an absolute path. In order: later ones lie on top. */
export type Mount =
  /** A file or folder of the machine, to read. `source` is where it really lies, when elsewhere. */
  | {
    readonly type: "read";
    readonly path: string;
    readonly source?: string;
    readonly isFolder: boolean;
  }
  /** A file or folder of the machine, to read and write. */
  | { readonly type: "write"; readonly path: string; readonly isFolder: boolean }
  /** An empty folder or file that cannot be written, over something that is not to be seen. */
  | { readonly type: "mask"; readonly path: string; readonly isFolder: boolean }
  /** An empty folder that cannot be written. */
  | { readonly type: "folder"; readonly path: string }
  | { readonly type: "link"; readonly path: string; readonly to: string }
  /** A new, empty, private folder in memory. */
  | { readonly type: "tmpfs"; readonly path: string; readonly bytes: number; readonly mode: number }
  /** The processes of the confinement, and no others. */
  | { readonly type: "proc"; readonly path: string }
  /** The usual harmless devices, and private shared memory. */
  | { readonly type: "dev"; readonly path: string; readonly bytes: number };
