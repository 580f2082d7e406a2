// How long things take, as ratios to what cannot be faster: `deno task bench`. Not part of the tests.
// `deno task bench NAME…` runs those alone whose function is called so.
import { confinement } from "./bench/confinement.ts";
import { delta } from "./bench/delta.ts";
import { dev } from "./bench/dev.ts";
import { idleSessions } from "./bench/idle_sessions.ts";
import { initialize } from "./bench/initialize.ts";
import type { Measurement } from "./bench/measurement.ts";
import { memory } from "./bench/memory.ts";
import { models } from "./bench/models.ts";
import { firstRequest } from "./bench/first_request.ts";
import { newSession } from "./bench/new_session.ts";
import { peers } from "./bench/peers.ts";
import { persona } from "./bench/persona.ts";
import { registry } from "./bench/registry.ts";
import { rounds } from "./bench/rounds.ts";
import { sessions } from "./bench/sessions.ts";
import { turn } from "./bench/turn.ts";

const HEAD = ["what", "median", "against", "ratio", "reach", ""];

async function main(): Promise<void> {
  const rows = [HEAD];
  for (
    const bench of [
      initialize,
      firstRequest,
      newSession,
      rounds,
      registry,
      confinement,
      peers,
      dev,
      turn,
      models,
      delta,
      persona,
      sessions,
      idleSessions,
      memory,
    ]
  ) {
    if (Deno.args.length > 0 && !isAsked(bench.name)) continue;
    await Deno.stderr.write(new TextEncoder().encode(`${bench.name} …\n`)); // each takes a while
    for (const measurement of await bench()) rows.push(rowOf(measurement));
  }
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ").trimEnd()
  );
  await Deno.stdout.write(new TextEncoder().encode(`${lines.join("\n")}\n`));
}

/** What others confine with is shown beside what ours adds. */
function isAsked(name: string): boolean {
  return Deno.args.includes(name) || name === peers.name && Deno.args.includes(confinement.name);
}

function rowOf({ what, value, unit, base, reach }: Measurement): string[] {
  const measured = base === undefined ? value : value / base.value;
  const verdict = reach === undefined ? "" : measured <= reach ? "reached" : "MISSED";
  return [
    what,
    `${value.toFixed(1)} ${unit}`,
    base === undefined ? "" : `${base.what}, ${base.value.toFixed(1)} ${unit}`,
    base === undefined ? "" : measured.toFixed(2),
    reach === undefined ? "" : `${reach}${base === undefined ? ` ${unit}` : ""}`,
    verdict,
  ];
}

if (import.meta.main) await main();
