// A company's own authority, and a certificate of it for loopback, made anew by openssl.
import { existsSync } from "node:fs";
import { runChild, tempFolder } from "./harness.ts";
import type { Tls } from "./http_servers.ts";

/** True where {@linkcode companyCertificates} works. */
export const HAS_OPENSSL = existsSync("/usr/bin/openssl");

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** The file of the authority's certificate, in a folder of its own, and what a server on 127.0.0.1 takes. */
export async function companyCertificates(): Promise<{ ca: string; tls: Tls } & AsyncDisposable> {
  const folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  const openssl = async (...args: string[]) => {
    const { code, stderr } = await runChild("/usr/bin/openssl", args, {});
    if (code !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  };
  await Deno.mkdir(at("made"));
  await Deno.writeTextFile(at("made/names"), "subjectAltName=IP:127.0.0.1\n");
  const authority = ["-subj", "/CN=A company", "-keyout", at("made/ca.key"), "-out", at("ca.pem")];
  await openssl("req", "-x509", ...KEY, "-days", "2", ...authority);
  const asked = ["-keyout", at("made/key.pem"), "-out", at("made/request.pem")];
  await openssl("req", ...KEY, "-subj", "/CN=A server", ...asked);
  await openssl(
    ...["x509", "-req", "-in", at("made/request.pem"), "-days", "2", "-CAcreateserial"],
    ...["-CA", at("ca.pem"), "-CAkey", at("made/ca.key")],
    ...["-extfile", at("made/names"), "-out", at("made/cert.pem")],
  );
  const [key, cert] = await Promise.all(
    ["key", "cert"].map((name) => Deno.readTextFile(at(`made/${name}.pem`))),
  );
  return {
    ca: at("ca.pem"),
    tls: { key: key!, cert: cert! },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
