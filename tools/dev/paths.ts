import { basename, dirname, join, resolve } from "@std/path";
import { messageOf, SkepError } from "../../lib/errors.ts";
import { failed, type ToolContext } from "./tool.ts";
import type { World } from "./world.ts";

/** Links that may follow one another before a path counts as a loop; the kernel's own bound. */
const MAX_LINKS = 40;

/**
 * The canonical path that an argument leads to, once the process's grant allows the access there.
 * Deno's flags look at the text of a path and follow a link out of a grant; asking about the canonical
 * path does not. The file need not exist: its nearest existing parent decides.
 *
 * @param path Relative to `workdir`, which is relative to the server's folder.
 * @throws {SkepError} `ACCESS_DENIED`; `TOOL_FAILED` for a path or `workdir` that cannot be used.
 */
export async function locate(
  path: string,
  workdir: string | undefined,
  access: "read" | "write",
  context: ToolContext,
): Promise<string> {
  if (path === "") throw failed(context, "The path is empty: give a file's path");
  const folder = workdir === undefined ? context.cwd : await workFolder(workdir, context);
  return await granted(path, resolve(folder, expanded(path, context)), access, context);
}

/**
 * The canonical folder that a `workdir` names, relative to the server's folder, which stands in for
 * an absent one.
 *
 * @throws {SkepError} `ACCESS_DENIED`; `TOOL_FAILED` when it is no folder.
 */
export async function workFolder(
  workdir: string | undefined,
  context: ToolContext,
): Promise<string> {
  if (workdir === undefined) return context.cwd;
  const path = resolve(context.cwd, expanded(workdir, context));
  const folder = await granted(workdir, path, "read", context);
  const isFolder = await context.world.stat(folder).then((facts) => facts.isDirectory, () => false);
  if (isFolder) return folder;
  throw failed(context, `Cannot use workdir "${workdir}": it is not a folder that exists`);
}

/** A note of where a path leads that is, or goes through, a link; none for another. */
export function leadNotes(
  path: string,
  workdir: string | undefined,
  target: string,
  context: ToolContext,
): string[] {
  const named = resolve(context.cwd, expanded(workdir ?? ".", context), expanded(path, context));
  return named === target ? [] : [`"${path}" leads to ${target}`];
}

/**
 * Does one thing with a path and turns what may go wrong into a text that the model can act on.
 *
 * @param verb What is being done, such as `read`.
 * @throws {SkepError} `ACCESS_DENIED` when the process's flags refuse; `TOOL_FAILED`.
 */
export async function attempt<T>(
  verb: "read" | "write",
  shown: string,
  path: string,
  context: ToolContext,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SkepError) throw error;
    if (isNamed(error, "NotCapable")) {
      throw denied(await missingAccess(verb, path, context.world), path);
    }
    if (verb === "write" && isHeld(error)) {
      const message =
        `Access denied: "${path}" is read-only here, as protected files of a workspace are`;
      const details = { server: "dev", access: "write", value: path };
      throw new SkepError("ACCESS_DENIED", message, details, { cause: error });
    }
    throw failed(context, `Cannot ${verb} "${shown}": ${reasonOf(error)}`, error);
  }
}

async function granted(
  shown: string,
  path: string,
  access: "read" | "write",
  context: ToolContext,
): Promise<string> {
  const { permissions } = context.world;
  return await attempt(access, shown, path, context, async () => {
    const canonical = await canonicalPath(path, access, context.world);
    const { state } = await permissions.query({ name: access, path: canonical });
    if (state === "granted") return canonical;
    throw denied(access, canonical, canonical === path ? undefined : shown);
  });
}

async function canonicalPath(
  path: string,
  access: "read" | "write",
  world: World,
  links = MAX_LINKS,
): Promise<string> {
  try {
    return await world.realPath(path);
  } catch (error) {
    if (isNamed(error, "NotCapable")) throw denied(await missingAccess(access, path, world), path);
    if (!isNamed(error, "NotFound") || dirname(path) === path) throw error;
  }
  // The last part is missing, or a link to something that is: writing to it would follow the link.
  const isLink = await world.lstat(path).then((facts) => facts.isSymlink, () => false);
  if (!isLink) {
    return join(await canonicalPath(dirname(path), access, world, links), basename(path));
  }
  if (links === 0) throw new Error("its links form a loop");
  const target = resolve(dirname(path), await world.readLink(path));
  return await canonicalPath(target, access, world, links - 1);
}

/** Finding out where a path leads takes read access: a write can be refused for want of it. */
async function missingAccess(
  access: "read" | "write",
  path: string,
  world: Pick<World, "permissions">,
): Promise<"read" | "write"> {
  const { state } = await world.permissions.query({ name: access, path });
  return state === "granted" ? "read" : access;
}

/**
 * The path with the private home folder in place of a leading `~`, as the shell would, and the server's folder
 * in place of its other name.
 */
function expanded(path: string, context: ToolContext): string {
  if (path.includes("\0")) {
    throw failed(context, `Cannot use the path ${JSON.stringify(path)}: it holds a NUL character`);
  }
  const { home, named, cwd } = context;
  if (named !== undefined && (path === named || path.startsWith(`${named}/`))) {
    return join(cwd, path.slice(named.length));
  }
  if (home === undefined || !(path === "~" || path.startsWith("~/"))) return path;
  return join(home, path.slice(1));
}

/** @param through What the caller wrote, when it leads to `path` by a link. */
function denied(access: string, path: string, through?: string): SkepError<"ACCESS_DENIED"> {
  const hint = through === undefined ? "" : `, where "${through}" leads`;
  const message = `Access denied: this server's grant has no ${access} access to "${path}"${hint}`;
  const leads = through === undefined ? {} : { through };
  return new SkepError("ACCESS_DENIED", message, { server: "dev", access, value: path, ...leads });
}

/** Tells whether an error is what a mount answers that is read-only, or that something is to replace. */
export function isHeld(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "EROFS" || code === "EBUSY";
}

function reasonOf(error: unknown): string {
  if (isNamed(error, "NotFound")) return "no such file or folder";
  if (isNamed(error, "NotADirectory")) return "a part of the path is a file, not a folder";
  if (isNamed(error, "FilesystemLoop")) return "its links form a loop";
  if (isNamed(error, "PermissionDenied")) {
    return "the operating system refuses it: its mode and owner, or its folder's, do not let this user";
  }
  // Deno appends the operation and the path, which the message has already.
  return messageOf(error).replace(/: \w+ '.*$/s, "");
}

/**
 * The error of a call that could not start bash.
 *
 * @param doing What it was started for, such as `search`.
 */
export function bashFailed(doing: string, error: unknown, context: ToolContext): SkepError {
  if (!isNamed(error, "NotCapable")) {
    return failed(context, `Cannot ${doing}: ${messageOf(error)}`, error);
  }
  const message = "Access denied: this server's grant does not let it run bash";
  const details = { server: "dev", access: "run", value: "bash" };
  return new SkepError("ACCESS_DENIED", message, details, { cause: error });
}

/** Tells whether something thrown is the system error of that name, such as `NotFound`. */
export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
