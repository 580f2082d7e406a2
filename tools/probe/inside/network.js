import { createSocket } from "node:dgram";
import { bait, deny, late, place } from "./attempt.js";

/** The network outside, and sockets of others. */
export async function network() {
  const { tcpPort, udpPort, socket } = bait;
  await deny("tcp-loopback", async () => {
    (await Deno.connect({ hostname: "127.0.0.1", port: tcpPort })).close();
  });
  await deny("tcp-outside", () => {
    const connecting = Deno.connect({ hostname: "192.0.2.1", port: 9 })
      .then((connection) => connection.close());
    return Promise.race([connecting, late()]);
  });
  await deny("udp-loopback", () => sendDatagram(udpPort));
  await deny("dns", () => {
    const nameServer = { ipAddr: "127.0.0.1", port: udpPort };
    return Promise.race([Deno.resolveDns("probe.test", "A", { nameServer }), late()]);
  });
  for (const [where, path] of [["outside", socket], ["in-workspace", "socket"]]) {
    await deny(`unix-socket-${where}`, async () => {
      (await Deno.connect({ transport: "unix", path })).close();
    });
  }
}

function sendDatagram(port) {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    const fail = (error) => {
      socket.close();
      reject(error);
    };
    socket.on("error", fail);
    // A refusal of Deno's flags is thrown where nobody can catch it.
    addEventListener("error", (event) => {
      event.preventDefault();
      reject(event.error);
    }, { once: true });
    socket.send(place, port, "127.0.0.1", (error) => error ? fail(error) : resolve(socket.close()));
  });
}
