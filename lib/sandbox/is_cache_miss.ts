/**
 * True when a server's last words are Deno's about something that is not in its cache, from which alone it may
 * take: that was emptied since. Then preparing it once more, with `isRefetching`, has a point.
 */
export function isCacheMiss(words: string): boolean {
  return words.includes("--cached-only is specified");
}
