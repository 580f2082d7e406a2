// The forwarder: stands inside a server's confinement and carries what connects to a port of the
// confinement's own loopback to a unix socket, behind which skep's network proxy decides what may pass.
// Plain JavaScript without imports: it starts before the server does. Run as `deno run --no-config
// --no-lock --no-remote --no-npm --allow-net=127.0.0.1:PORT,[::1]:PORT,unix:SOCKET --allow-read=SOCKET
// --allow-write=SOCKET main.js PORT,SERVICE... SOCKET`. It writes one line, `ready`, when it listens, and runs
// until it is killed, which the end of the confinement's first process does.
//
// A SERVICE (`localhost:5432`) is one of this machine that the server is granted: it is reached at the same
// port of the confinement's own loopback, by programs that know of no proxy too.
//
// It guards nothing: the server may speak to the socket itself, and to the same proxy.

const [places, path] = Deno.args;
const [port, ...services] = places.split(",");
const CHUNK_BYTES = 32 * 1024;
const MAX_HEAD_BYTES = 8 * 1024;

/** Copies one direction to its end, a chunk at a time: the next is read when this one was taken. */
async function pump(from, to, onBroken) {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    let count;
    try {
      count = await from.read(buffer);
    } catch {
      return onBroken();
    }
    if (count === null) break;
    try {
      for (let written = 0; written < count;) {
        written += await to.write(buffer.subarray(written, count));
      }
    } catch {
      return; // it takes no more, but what it sent before may still be on its way
    }
  }
  await to.closeWrite().catch(() => {}); // it may have ended first
}

/** Asks the proxy for a tunnel, and reads its answer's head; true when it is there. */
async function openTunnel(proxy, service) {
  await proxy.write(new TextEncoder().encode(`CONNECT ${service} HTTP/1.1\r\n\r\n`));
  const byte = new Uint8Array(1);
  let head = "";
  while (!head.endsWith("\r\n\r\n")) { // a byte at a time: what follows is the service's
    if (await proxy.read(byte) === null || head.length >= MAX_HEAD_BYTES) return false;
    head += String.fromCharCode(byte[0]);
  }
  return /^HTTP\/1\.\d 200 /.test(head);
}

async function carry(client, service) {
  let proxy;
  const closeBoth = () => {
    for (const each of [client, proxy]) {
      try {
        each?.close();
      } catch {
        // it is closed already
      }
    }
  };
  try {
    proxy = await Deno.connect({ transport: "unix", path });
    if (service !== undefined && !await openTunnel(proxy, service)) return closeBoth();
    await Promise.all([pump(client, proxy, closeBoth), pump(proxy, client, closeBoth)]);
  } catch {
    // Nobody is behind the socket any more: skep is ending.
  }
  closeBoth();
}

async function serve(listener, service) {
  for (;;) {
    try {
      carry(await listener.accept(), service);
    } catch {
      // There are no descriptors left: some come free when connections end.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const all = [serve(Deno.listen({ hostname: "127.0.0.1", port: Number(port) }))];
for (const service of services) {
  const own = Number(service.slice(service.lastIndexOf(":") + 1));
  for (const hostname of ["127.0.0.1", "::1"]) {
    try {
      all.push(serve(Deno.listen({ hostname, port: own }), service));
    } catch {
      // A port that takes privileges, which skep tells of, or a machine without IPv6.
    }
  }
}
Deno.stdout.writeSync(new TextEncoder().encode("ready\n"));
await Promise.all(all);
