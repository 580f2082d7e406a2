// What every attempt of the probe's JavaScript shares: the bait, and one line of JSON for each on stdout:
// {probe, expected, outcome, detail}.

export const [place, folder] = Deno.args;
export const bait = JSON.parse(Deno.readTextFileSync(`${folder}/bait.json`));

/** What no server may see. It comes reversed, so that the probe's own files do not hold it. */
export const canaries = bait.canariesReversed.map((text) => [...text].reverse().join(""));

/** Whatever is not refused within this time has got out. */
const WAIT_MS = 400;
const MAX_DETAIL = 300;

/** Thrown by an attempt that cannot be made here. */
export class Skip extends Error {}

/** Something that must not work. It is denied when it throws. */
export const deny = (probe, run) => attempt(probe, "denied", run);
/** Something that the grant allows. */
export const allow = (probe, run) => attempt(probe, "allowed", run);

async function attempt(probe, expected, run) {
  try {
    report(probe, expected, "allowed", await run() ?? "it worked");
  } catch (error) {
    const outcome = error instanceof Skip ? "skipped" : "denied";
    report(probe, expected, outcome, `${error?.name}: ${error?.message}`);
  }
}

export function report(probe, expected, outcome, detail) {
  print({ probe, expected, outcome, detail: String(detail).slice(0, MAX_DETAIL) });
}

export function print(value) {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let written = 0; written < bytes.length;) {
    written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}

/** A name that nobody else uses. */
export const named = (name) => `${name}-${bait.unique}`;

/** Opens a file for writing, and writes nothing. */
export function append(path) {
  Deno.openSync(path, { append: true }).close();
}

export function open(path) {
  Deno.openSync(path).close();
}

/** Reads a byte, which a folder that is there only as a way to others does not give. */
export function readByte(path) {
  using file = Deno.openSync(path);
  file.readSync(new Uint8Array(1));
}

/** Makes a file and removes it. */
export function create(path) {
  Deno.writeTextFileSync(path, "probe", { createNew: true });
  Deno.removeSync(path);
}

/** Renames there and back. */
export function swap(from, to) {
  Deno.renameSync(from, to);
  Deno.renameSync(to, from);
}

export function exists(path) {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // missing or hidden: the attempt itself tells
  }
}

/** Resolves late, as what nobody refused. */
export function late() {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS, "nobody refused it"));
}

/** Tries one after the other until one works. */
export function any(values, run) {
  const errors = [];
  for (const value of values) {
    try {
      run(value);
      return value;
    } catch (error) {
      errors.push(`${value}: ${error.message}`);
    }
  }
  if (errors.length === 0) throw new Skip("there is nothing of the kind here");
  throw new Error(errors.join("; "));
}
