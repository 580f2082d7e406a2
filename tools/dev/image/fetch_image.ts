import { SkepError } from "../../../lib/errors.ts";
import { joinBytes } from "../../../lib/host/join_bytes.ts";
import type { ToolContext } from "../tool.ts";
import { isPublicAddress } from "./is_public_address.ts";
import { ImageRefused } from "./read_image.ts";

/** Redirects that are followed, each looked at as if it had been given. */
const MAX_REDIRECTS = 5;

/**
 * Fetches an image over https, within the server's grant. An address that is not public, or a name that
 * leads to one, is refused unless the grant names it.
 *
 * @throws {SkepError} `ACCESS_DENIED` for a host outside of the grant.
 * @throws {ImageRefused} for what cannot be fetched, or is too long.
 */
export async function fetchImage(
  address: URL,
  context: ToolContext,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { maxImageBytes, imageTimeoutMs } = context.limits;
  const until = AbortSignal.any([signal, AbortSignal.timeout(imageTimeoutMs)]);
  let url = address;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      await checkHost(url, context);
      const response = await context.fetch(url, { redirect: "manual", signal: until });
      const to = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && to !== null) {
        await response.body?.cancel();
        url = checkedAddress(new URL(to, url).href);
        continue;
      }
      if (!response.ok) {
        await response.body?.cancel();
        throw new ImageRefused(`the host answered with status ${response.status}`);
      }
      return await bounded(response, maxImageBytes, until);
    }
  } catch (error) {
    if (error instanceof SkepError || error instanceof ImageRefused) throw error;
    signal.throwIfAborted();
    const isLate = until.aborted;
    throw new ImageRefused(isLate ? `it did not come within ${imageTimeoutMs} ms` : causeOf(error));
  }
  throw new ImageRefused(`it was redirected more than ${MAX_REDIRECTS} times`);
}

/** What went wrong at the bottom of it, such as a certificate, without the address, which may hold a secret. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return causeOf(error.cause);
  return error.message.replace(/^error sending request .*\): /s, "cannot connect: ");
}

/**
 * An address that an image may be fetched from.
 *
 * @throws {ImageRefused} for any other than https.
 */
export function checkedAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new ImageRefused("its address cannot be read");
  if (url.protocol !== "https:") {
    throw new ImageRefused(`${url.protocol}// is not fetched, only https://`);
  }
  return url;
}

/** An address without what may be secret in it. */
export function shownAddress({ protocol, host, pathname, search }: URL): string {
  return `${protocol}//${host}${pathname}${search === "" ? "" : "?…"}`;
}

async function checkHost({ hostname, port }: URL, context: ToolContext): Promise<void> {
  const { world } = context;
  const atPort = (host: string) => `${host}:${port === "" ? "443" : port}`;
  const host = atPort(hostname);
  const isGranted = async (host: string) =>
    (await world.permissions.query({ name: "net", host })).state === "granted";
  if (!await isGranted(host)) {
    const message = `Access denied: this server's grant has no net access to "${host}"`;
    throw new SkepError("ACCESS_DENIED", message, { server: "dev", access: "net", value: host });
  }
  const name = hostname.replace(/^\[|\]$/g, "");
  const addresses = isAddress(name) ? [name] : await resolved(name, world);
  const inner = addresses.find((address) => !isPublicAddress(address));
  if (inner === undefined) return;
  const address = atPort(inner.includes(":") ? `[${inner}]` : inner);
  // A grant of everything grants an inner address as well, and nobody meant it.
  const isMeant = await isGranted(address) &&
    (await world.permissions.query({ name: "net" })).state !== "granted";
  if (isMeant) return;
  const wanted = `the net list of this server's grant does not name ${address}`;
  throw new ImageRefused(`${host} is not public (${inner}), and ${wanted}`);
}

function isAddress(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) || host.includes(":");
}

/** A server that may not ask for addresses has a proxy that looks at them. */
async function resolved(
  name: string,
  { resolveDns }: Pick<ToolContext["world"], "resolveDns">,
): Promise<string[]> {
  if (name === "localhost" || name.endsWith(".localhost")) return ["127.0.0.1"];
  const answers = await Promise.all(
    (["A", "AAAA"] as const).map((type) => resolveDns(name, type).catch(() => [])),
  );
  return answers.flat();
}

/** Gives the body up at `until` by itself: Deno 2.9 forgets the request's signal once it is collected. */
async function bounded(
  { body, headers }: Response,
  maxBytes: number,
  until: AbortSignal,
): Promise<Uint8Array> {
  const promised = Number(headers.get("content-length") ?? 0);
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  const leave = () => void reader?.cancel().catch(() => {}); // a broken body is closed already
  until.addEventListener("abort", leave);
  while (reader !== undefined) {
    const { done, value: part } = await reader.read();
    until.throwIfAborted();
    if (done) break;
    length += part.length;
    if (length > maxBytes || promised > maxBytes) {
      leave();
      throw new ImageRefused(`it has more than ${maxBytes} bytes`);
    }
    parts.push(part);
  }
  return joinBytes(parts);
}
