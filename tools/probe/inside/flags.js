import { append, bait, deny, folder, named } from "./attempt.js";
import { foreignVariables } from "./foreign_variables.js";

/** What only Deno's flags hold, and what would lift them. */
export async function flags() {
  await more();
  await programs();
  await imports();
  await deny("environment", () => foreignVariables(Deno.env.toObject()));
  await deny("signal-runtime", () => Deno.kill(bait.runtimePid, "SIGCONT"));
  await deny("proc-environ", () => Deno.readTextFileSync("/proc/self/environ"));
  await deny("settings-of-kernel", () => append("/proc/sys/kernel/core_pattern"));
}

async function more() {
  await deny("ask-for-permission", async () => {
    const { state } = await Deno.permissions.request({ name: "read", path: bait.secret });
    if (state !== "granted") throw new Error(`the answer is ${state}`);
  });
  await deny("workspace-permissions", () => {
    const { state } = Deno.permissions.querySync({ name: "read", path: "/" });
    if (state !== "granted") throw new Error(`reading everything is ${state}`);
  });
  await deny("worker", () =>
    new Promise((resolve, reject) => {
      const source = `self.postMessage(Deno.readTextFileSync(${JSON.stringify(bait.secret)}))`;
      const url = `data:application/javascript,${encodeURIComponent(source)}`;
      const worker = new Worker(url, { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
    }));
  await deny("ffi", () => Deno.dlopen("libc.so.6", {}).close());
  await deny("addon", () => process.dlopen({ exports: {} }, `${folder}/none.node`));
  await deny("inspector", async () => (await import("node:inspector")).open(0, "127.0.0.1"));
}

async function programs() {
  await deny("run-ungranted-program", () => new Deno.Command("/usr/bin/env").outputSync());
  await deny("run-deno", () => new Deno.Command(bait.deno, { args: ["--version"] }).outputSync());
  await deny("run-planted-program", () => {
    const planted = `${folder}/bin`;
    Deno.mkdirSync(planted);
    try {
      Deno.writeTextFileSync(`${planted}/bash`, "#!/bin/sh\n", { mode: 0o755 });
      new Deno.Command("bash", { env: { PATH: planted } }).outputSync();
    } finally {
      Deno.removeSync(planted, { recursive: true });
    }
  });
  await deny("run-with-preload", () => {
    const env = { LD_PRELOAD: `${folder}/none.so` };
    new Deno.Command("bash", { args: ["-c", ":"], env }).outputSync();
  });
}

async function imports() {
  const host = "https://raw.githubusercontent.com"; // Deno imports from there unasked
  await deny("import-from-host", () => egress(`${host}/skep-probe/none.js?data`));
  await deny("import-from-npm", () => egress(`npm:${named("skep-probe")}@1.0.0`));
  await deny("import-from-jsr", () => egress(`jsr:@skep-probe/${named("none")}@1`));
  await deny("workspace-import-map", async () => {
    await import("skep-hijack");
  });
}

/** Denied only when Deno refuses it before it asks anybody. */
async function egress(specifier) {
  try {
    await import(specifier);
  } catch ({ message }) {
    const isRefused = /--(no-remote|no-npm|cached-only) is specified|Requires import access/
      .test(message);
    if (isRefused) throw new Error(message);
    return message;
  }
}
