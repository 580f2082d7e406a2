/**
 * Where the system keeps its programs. skep's own helpers are looked up here and not on the person's
 * PATH: a relative folder there, or one of a workspace, may hold a program that only looks like one.
 */
export const SYSTEM_PATH: string = [
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/run/current-system/sw/bin", // NixOS
  "/run/current-system/profile/bin", // Guix
].join(":");
