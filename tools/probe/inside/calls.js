import { deny, folder, Skip } from "./attempt.js";
import { victims } from "./system.js";

/**
 * Calls of the system by their numbers in calls.json, with arguments that reach the kernel's own code
 * and do nothing there. A call is denied when its error is one of refusal.
 */
export async function calls() {
  const { symbols } = Deno.dlopen("libc.so.6", {
    syscall: { parameters: Array(7).fill("i64"), result: "i64" },
    __errno_location: { parameters: [], result: "pointer" },
  });
  const table = JSON.parse(Deno.readTextFileSync(`${folder}/calls.json`));
  for (const [probe, x86, arm, given] of table.calls) {
    await deny(probe, () => {
      const number = Deno.build.arch === "aarch64" ? arm : x86;
      if (number === null) throw new Skip("this processor has no such call");
      const buffers = [];
      const words = given.map((value) => word(value, buffers));
      const padding = Array(6 - words.length).fill(0n);
      const result = Number(symbols.syscall(BigInt(number), ...words, ...padding));
      if (result >= 0) return `it gave ${result}`;
      const errno = new Deno.UnsafePointerView(symbols.__errno_location()).getInt32();
      if (table.refusals.includes(errno)) throw new Error(`errno ${errno}`);
      return `it reached the kernel: errno ${errno}`;
    });
  }
}

/** One argument as a machine word; `buffers` keeps what it points to alive. */
function word(value, buffers) {
  if (value === "$victim") return BigInt(victim());
  if (value === "$self") return BigInt(Deno.pid);
  if (typeof value === "number") return BigInt(value);
  const bytes = typeof value === "string"
    ? new TextEncoder().encode(`${value}\0`)
    : new Uint8Array(value.zeros);
  buffers.push(bytes);
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

function victim() {
  try {
    return victims()[0];
  } catch {
    return 2 ** 30; // no process has this number
  }
}
