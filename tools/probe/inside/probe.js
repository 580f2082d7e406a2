// The probe's program in a server's place: `probe.js PLACE FOLDER`. `js` tries from the server itself;
// `bash`, `deno` and `python` start a bash child that becomes that; `nested` is that deno. FOLDER
// holds the probe's files. After the last attempt comes {done: true}.
//
// What it tries must harm nobody where it gets through, which it does where flags are all there is: it
// opens without writing, calls with arguments that do nothing, and what it makes has a name of its own
// and is removed.

import { bait, folder, place, print, report } from "./attempt.js";
import { calls } from "./calls.js";
import { files } from "./files.js";
import { flags } from "./flags.js";
import { granted, grantedEntries, grantedToPrograms } from "./granted.js";
import { modules } from "./modules.js";
import { network } from "./network.js";
import { protectedFiles } from "./protected_files.js";
import { system } from "./system.js";

const SCRIPTS = {
  bash: ['exec bash "$0/probe.sh" "$0"', folder],
  deno: ['exec "$1" run -A --no-prompt "$0/probe.js" nested "$0"', folder, bait.deno],
  // The first one on PATH may be a shim that leads nowhere here.
  python: [
    'for each in python3 /usr/bin/python3; do "$each" -c "" && exec "$each" "$0/probe.py" "$0"; done; exit 127',
    folder,
  ],
};

/** Starts bash, which becomes what the place is named after. */
async function startPlace() {
  const [script, ...args] = SCRIPTS[place];
  const command = new Deno.Command("bash", { args: ["-c", script, ...args], stdin: "null" });
  try {
    const { code } = await command.spawn().status;
    if (code === 126 || code === 127) {
      report(place, "denied", "skipped", "no such program runs inside");
    }
  } catch (error) {
    report(place, "denied", "skipped", `the grant lets it start no bash: ${error.message}`);
  }
}

if (place in SCRIPTS) {
  await startPlace();
} else {
  await granted();
  await grantedEntries();
  await files();
  await protectedFiles();
  await network();
  await modules();
  if (place === "nested") {
    await grantedToPrograms();
    await system();
    await calls();
  } else {
    await flags();
  }
  print({ done: true });
  Deno.exit(0); // something that got out may wait for an answer
}
