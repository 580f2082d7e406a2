// Starts a script server. The script is imported by a computed specifier, so that Deno holds its whole
// module graph, static imports included, against the flags: those of a main module are not checked.
// The specifier stands in this module's own address, so that `Deno.args` are the script's alone.
// `import.meta.main` is false in the script, and `Deno.mainModule` is this module.
const target = new URL(import.meta.url).searchParams.get("target");
if (target === null) throw new TypeError("Cannot start: the address names no ?target=");
await import(target);
