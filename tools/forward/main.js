// The forwarder: stands inside a server's confinement and carries what connects to a port of the
// confinement's own loopback to a unix socket, behind which skep's network proxy decides what may pass.
// Plain JavaScript without imports: it starts before the server does. Run as `deno run --no-config
// --no-lock --no-remote --no-npm --allow-net=127.0.0.1:PORT,unix:SOCKET --allow-read=SOCKET
// --allow-write=SOCKET main.js PORT SOCKET`. It writes one line, `ready`, when it listens, and runs until
// it is killed, which the end of the confinement's first process does.
//
// It guards nothing: the server may speak to the socket itself, and to the same proxy.

const [port, path] = Deno.args;
const CHUNK_BYTES = 32 * 1024;

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

async function carry(client) {
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
    await Promise.all([pump(client, proxy, closeBoth), pump(proxy, client, closeBoth)]);
  } catch {
    // Nobody is behind the socket any more: skep is ending.
  }
  closeBoth();
}

const listener = Deno.listen({ hostname: "127.0.0.1", port: Number(port) });
Deno.stdout.writeSync(new TextEncoder().encode("ready\n"));
for (;;) {
  try {
    carry(await listener.accept());
  } catch {
    // There are no descriptors left: some come free when connections end.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
