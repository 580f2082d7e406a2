/**
 * The port of the confinement's own loopback at which the forwarder listens. The server has that
 * loopback to itself, so nothing else is there; it is below the ports that systems give out themselves.
 */
export const FORWARDER_PORT = 17765;

const PROXY = `http://127.0.0.1:${FORWARDER_PORT}`;
const LOOPBACK = "localhost,127.0.0.1,::1";

/**
 * What a server's environment has, in place of the person's own proxy, when skep's proxy is its way to
 * the network. What it does on its own loopback needs none. Node looks at the others only with the last.
 */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: LOOPBACK,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: LOOPBACK,
  NODE_USE_ENV_PROXY: "1",
};
