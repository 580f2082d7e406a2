import { pathToFileURL } from "node:url";
import { basename } from "@std/path";

/** A folder as servers are told of it. @param path Absolute. */
export function rootOf(path: string): { readonly uri: string; readonly name: string } {
  return { uri: pathToFileURL(path).href, name: basename(path) };
}
