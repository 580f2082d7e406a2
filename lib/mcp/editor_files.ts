import type { Host } from "../host/host.ts";
import type { Limits } from "../limits.ts";
import { canReach } from "../sandbox/can_reach.ts";
import { osOf } from "../sandbox/is_granted.ts";
import type { Launch } from "../sandbox/launch.ts";
import { relativeTo } from "../sandbox/paths.ts";
import { Deadline } from "./deadline.ts";
import { isObject } from "./message.ts";
import { isSameWay, isUntouched, restedMs, type Trail, trailOf } from "./trail.ts";

/** What went wrong, as the rest of a sentence about an editor: `did not answer within 15 s`. */
export interface EditorProblem {
  readonly problem: string;
}

/** A person's editor, which may have text that is not saved. Nothing confines it. */
export interface Editor {
  /** It takes text; else it can only be read. */
  readonly canWrite: boolean;
  /**
   * The text of a file, whether it is open or not.
   *
   * @param path Relative to the workspace; absolute in a folder that the session works in besides.
   * @throws {SkepError} `CANCELLED` as soon as the signal is aborted.
   */
  read(path: string, signal: AbortSignal): Promise<{ readonly text: string } | EditorProblem>;
  /** Replaces that text; undefined when it is done. Otherwise as `read()`. */
  write(path: string, text: string, signal: AbortSignal): Promise<EditorProblem | undefined>;
}

/** What {@linkcode EditorFiles} take of the world, and are bounded by. */
export interface EditorFilesOptions {
  readonly world: Pick<Host, "sleep" | "nowMs"> & {
    readonly files: Pick<Host["files"], "identity" | "readInside" | "realPath">;
  };
  readonly limits: Pick<
    Limits,
    "editorAttempts" | "editorFileS" | "editorSettleMs" | "maxEditorFileBytes"
  >;
  /** Told of each text that goes to the server, and of each write, by the file's canonical path. */
  readonly onAccess?: (access: "read" | "write", path: string) => void;
}

/** The text that an editor has and the disk has not; none where there is no such text. */
export type UnsavedText =
  | { readonly text?: string; readonly problem?: undefined }
  | EditorProblem;

/**
 * A person's editor, as one server may use it: for files of the workspace that the server reaches itself, and
 * of these for the ones whose text is not saved. The server's word is not enough: a program that it started
 * may speak in its name, or put a link in a folder's place just when the editor opens a file below it.
 */
export class EditorFiles {
  readonly #editor: Editor;
  readonly #launch: Pick<Launch, "grant" | "confined">;
  readonly #options: EditorFilesOptions;

  constructor(
    editor: Editor,
    launch: Pick<Launch, "grant" | "confined">,
    options: EditorFilesOptions,
  ) {
    this.#editor = editor;
    this.#launch = launch;
    this.#options = options;
  }

  /** The text of the file `path` that is not saved. @throws {SkepError} `CANCELLED`. */
  async read(params: unknown, signal: AbortSignal): Promise<UnsavedText> {
    const path = await this.#reached(params, "read");
    if (path === undefined) return OUT_OF_REACH;
    const unsaved = await this.#unsaved(path, signal);
    if (unsaved.problem === undefined && unsaved.text !== undefined) {
      this.#options.onAccess?.("read", path);
    }
    return unsaved;
  }

  /**
   * Has the editor write `text`, provided that what it has of the file `path` is not saved and is `before`:
   * nothing is lost that was typed meanwhile, and what is saved is the server's own to write.
   *
   * @throws {SkepError} `CANCELLED`.
   */
  async write(params: unknown, signal: AbortSignal): Promise<EditorProblem | undefined> {
    const path = await this.#reached(params, "write");
    if (path === undefined) return OUT_OF_REACH;
    const { before, text } = params as { readonly before?: unknown; readonly text?: unknown };
    if (!this.#editor.canWrite) return { problem: "can only be read" };
    if (typeof text !== "string" || this.#isTooLong(text)) return this.#tooLong();
    const unsaved = await this.#unsaved(path, signal);
    if (unsaved.problem !== undefined) return unsaved;
    if (unsaved.text === undefined || unsaved.text !== before) {
      return { problem: "has another text of it by now" };
    }
    const trail = await this.#trail(path);
    if (trail === undefined) return MOVING;
    this.#options.onAccess?.("write", path);
    const failed = await this.#inTime(
      signal,
      (signal) => this.#editor.write(this.#below(path), text, signal),
    );
    return failed ?? (isSameWay(trail, await this.#trail(path)) ? undefined : MOVING);
  }

  /** The path in `params` when the server reaches it, it lies in the workspace, and no link is on the way. */
  async #reached(params: unknown, access: "read" | "write"): Promise<string | undefined> {
    const { path } = isObject(params) ? params : {};
    if (typeof path !== "string") return undefined;
    const real = await this.#options.world.files.realPath(path).catch(() => undefined);
    const isReached = real === path && this.#root(path) !== undefined &&
      canReach(path, "read", this.#launch) && canReach(path, access, this.#launch);
    return isReached ? path : undefined;
  }

  async #unsaved(path: string, signal: AbortSignal): Promise<UnsavedText> {
    const { limits: { editorAttempts, editorSettleMs }, world } = this.#options;
    for (let attempt = 1;; attempt++) {
      const saved = await this.#saved(path);
      if (typeof saved !== "string") return saved;
      const askedMs = world.nowMs();
      const trail = await this.#trail(path);
      const said = await this.#inTime(
        signal,
        (signal) => this.#editor.read(this.#below(path), signal),
      );
      if ("problem" in said) return said;
      const text = withLineEnds(said.text, saved);
      if (text === saved) return {};
      if (this.#isTooLong(text)) return this.#tooLong();
      // Else it may be the text of any file: a link may have stood there for a moment.
      const hasRested = trail !== undefined && restedMs(trail, askedMs) >= editorSettleMs;
      if (hasRested && isUntouched(trail, await this.#trail(path))) return { text };
      if (attempt === editorAttempts) return MOVING;
      await world.sleep(editorSettleMs, signal);
    }
  }

  /** The text on the disk. No text in UTF-8 without a mark is nothing to ask for: editors show it as they like. */
  async #saved(path: string): Promise<string | UnsavedText> {
    const { limits: { maxEditorFileBytes }, world: { files } } = this.#options;
    const root = this.#root(path) ?? this.#launch.grant.workspace;
    try {
      const found = await files.readInside(root, path, maxEditorFileBytes);
      if (found === undefined) return {};
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.bytes);
      return text.startsWith("\ufeff") || text.includes("\0") ? {} : text;
    } catch (error) {
      return error instanceof RangeError ? this.#tooLong() : {};
    }
  }

  async #trail(path: string): Promise<Trail | undefined> {
    return await trailOf(
      path,
      this.#root(path) ?? this.#launch.grant.workspace,
      this.#options.world.files,
    );
  }

  /** The folder of the session that the path lies below; undefined for none. */
  #root(path: string): string | undefined {
    const { grant } = this.#launch;
    return [grant.workspace, ...grant.addedFolders ?? []]
      .find((folder) => (relativeTo(path, folder, osOf(grant)) ?? "") !== "");
  }

  /** The path as an editor is asked for it. */
  #below(path: string): string {
    const { grant } = this.#launch;
    return this.#root(path) === grant.workspace
      ? relativeTo(path, grant.workspace, osOf(grant)) ?? ""
      : path;
  }

  async #inTime<T>(
    caller: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | EditorProblem> {
    const { limits: { editorFileS }, world } = this.#options;
    using deadline = new Deadline(editorFileS * 1000, caller, world.sleep);
    try {
      return await run(deadline.signal);
    } catch (error) {
      if (!deadline.isLate) throw error;
      return { problem: `did not answer within ${editorFileS} s` };
    }
  }

  #isTooLong(text: string): boolean {
    const { maxEditorFileBytes } = this.#options.limits;
    return new TextEncoder().encode(JSON.stringify(text)).length > maxEditorFileBytes;
  }

  #tooLong(): EditorProblem {
    const { maxEditorFileBytes } = this.#options.limits;
    return { problem: `is asked about files of at most ${maxEditorFileBytes} bytes` };
  }
}

const OUT_OF_REACH = { problem: "is not asked about files out of this server's reach" };
const MOVING = { problem: "was asked while the folders of the file changed" };

/** The text with the line ends of the saved one: an editor may show CRLF as LF, and write it as CRLF again. */
function withLineEnds(text: string, saved: string): string {
  const isCrlf = /\r\n/.test(saved) && !/(?:^|[^\r])\n/.test(saved);
  return isCrlf && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text;
}
