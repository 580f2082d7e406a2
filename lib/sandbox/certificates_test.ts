import { assertEquals } from "@std/assert";
import { certificatePaths, certificateValues } from "./certificates.ts";
import { testContext } from "./test_world.ts";

/** A context with these variables, and the files and folders that are there. */
function world(env: Record<string, string>, there: readonly string[]) {
  const { host } = testContext({ env: { HOME: "/home/u", ...env } });
  const stat = (path: string) =>
    Promise.resolve(there.includes(path) ? { isDirectory: path.endsWith("s") } : undefined);
  return { host: { ...host, files: { ...host.files, stat } } } as Parameters<
    typeof certificatePaths
  >[0];
}

const ALL = {
  SSL_CERT_FILE: "/c/file.pem",
  SSL_CERT_DIR: "/c/certs:/d/certs",
  NODE_EXTRA_CA_CERTS: "/c/extra.pem",
  DENO_CERT: "/c/deno.pem",
};
const THERE = ["/c/file.pem", "/c/certs", "/d/certs", "/c/extra.pem", "/c/deno.pem"];

Deno.test("certificatePaths() are the files and folders that the variables name, once each", async () => {
  assertEquals(await certificatePaths(world({}, [])), []);
  assertEquals(await certificatePaths(world(ALL, THERE)), THERE);
  const twice = { SSL_CERT_FILE: "/c/file.pem", NODE_EXTRA_CA_CERTS: "/c/file.pem" };
  assertEquals(await certificatePaths(world(twice, THERE)), ["/c/file.pem"]);
});

Deno.test("certificatePaths() are none that are not there, relative or around the home folder", async () => {
  const env = { SSL_CERT_FILE: "file.pem", SSL_CERT_DIR: "/:/home:/home/u:/gone", DENO_CERT: "/x" };
  assertEquals(await certificatePaths(world(env, ["file.pem", "/", "/home", "/home/u"])), []);
});

Deno.test("certificateValues() trust the system's certificates too, where a company adds its own", async () => {
  assertEquals(await certificateValues(world({}, [])), { DENO_TLS_CA_STORE: "system,mozilla" });
  assertEquals(await certificateValues(world(ALL, THERE)), {
    DENO_TLS_CA_STORE: "system,mozilla",
    DENO_CERT: "/c/deno.pem",
  });
  assertEquals(await certificateValues(world({ DENO_TLS_CA_STORE: "mozilla" }, [])), {
    DENO_TLS_CA_STORE: "mozilla",
  });
});

Deno.test("certificateValues() leave the system out where a variable names nothing: Deno would trust nobody", async () => {
  assertEquals(await certificateValues(world({ SSL_CERT_FILE: "/gone" }, [])), {});
  assertEquals(await certificateValues(world({ SSL_CERT_DIR: "/c/certs:/gone" }, THERE)), {});
});
