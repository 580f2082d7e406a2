import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { type EndpointVariables, isEndpointSet, readEndpoint } from "./endpoint.ts";

const STRICT: EndpointVariables = {
  provider: "acme",
  key: "ACME_KEY",
  baseUrl: "ACME_URL",
  defaultBaseUrl: "https://api.acme.test",
  isKeyFreeOnLoopback: false,
};
const LOCAL: EndpointVariables = { ...STRICT, isKeyFreeOnLoopback: true };

const env = (values: Record<string, string>) => (name: string) => values[name];

Deno.test("readEndpoint() uses the default base URL, and trims the key", () => {
  assertEquals(readEndpoint(STRICT, env({ ACME_KEY: " k-1\n" })), {
    provider: "acme",
    baseUrl: "https://api.acme.test",
    key: "k-1",
    keyVariable: "ACME_KEY",
  });
});

Deno.test("readEndpoint() drops slashes at the end of a base URL", () => {
  const { baseUrl } = readEndpoint(STRICT, env({ ACME_KEY: "k", ACME_URL: "http://a.test/x//" }));
  assertEquals(baseUrl, "http://a.test/x");
});

Deno.test("readEndpoint() names the variable of a missing key", () => {
  for (const values of [{}, { ACME_KEY: "  " }]) {
    const error = assertThrows(
      () => readEndpoint(STRICT, env(values as Record<string, string>)),
      SkepError,
      "Cannot use the provider acme: ACME_KEY is not set",
    );
    assertEquals(error.code, "MODEL_KEY_MISSING");
    assertEquals(error.details, { provider: "acme", variable: "ACME_KEY" });
  }
});

Deno.test("readEndpoint() names every variable that would have given the key", () => {
  const missing = (more: Partial<EndpointVariables>) =>
    assertThrows(() => readEndpoint({ ...STRICT, ...more }, env({})), SkepError).message;
  assertEquals(
    missing({ or: { key: "OTHER_KEY", baseUrl: "OTHER_URL" } }),
    "Cannot use the provider acme: neither ACME_KEY nor OTHER_KEY is set",
  );
  assertEquals(
    missing({ insteadOfKey: ["ACME_ID", "ACME_SECRET"] }),
    "Cannot use the provider acme: neither ACME_KEY nor ACME_ID with ACME_SECRET is set",
  );
});

Deno.test("readEndpoint() needs no key on loopback where the provider allows that", () => {
  const hosts = ["localhost:11434", "127.0.0.1:8080", "127.1.2.3", "[::1]:1", "vm.localhost"];
  for (const host of hosts) {
    const endpoint = readEndpoint(LOCAL, env({ ACME_URL: `http://${host}/v1` }));
    assertEquals([endpoint.key, endpoint.baseUrl], [undefined, `http://${host}/v1`]);
    assertThrows(() => readEndpoint(STRICT, env({ ACME_URL: `http://${host}` })), SkepError);
  }
});

Deno.test("readEndpoint() wants a key for a host that only looks like loopback", () => {
  for (const host of ["localhost.evil.test", "127.0.0.1.evil.test", "10.0.0.1", "notlocalhost"]) {
    const error = assertThrows(
      () => readEndpoint(LOCAL, env({ ACME_URL: `http://${host}/` })),
      SkepError,
    );
    assertEquals(error.code, "MODEL_KEY_MISSING");
  }
});

Deno.test("readEndpoint() refuses a base URL that is none, with its variable", () => {
  for (const url of ["", " ", "api.acme.test", "ftp://a.test", "file:///etc/passwd"]) {
    const error = assertThrows(
      () => readEndpoint(STRICT, env({ ACME_KEY: "k", ACME_URL: url })),
      SkepError,
      `Cannot use ACME_URL="${url}": it must be an http or https URL, or not be set`,
    );
    assertEquals(error.details, { source: "ACME_URL" });
  }
});

Deno.test("readEndpoint() refuses a base URL with more than a place in it, and does not show it", () => {
  const urls = ["https://me:s3cret@a.test", "https://a.test/?key=s3cret", "https://a.test/#s3cret"];
  for (const url of urls) {
    const error = assertThrows(
      () => readEndpoint(STRICT, env({ ACME_KEY: "k", ACME_URL: url })),
      SkepError,
      "Cannot use ACME_URL: it must have no user, password, query or fragment",
    );
    assertEquals([error.code, error.message.includes("s3cret")], ["CONFIG_INVALID", false]);
  }
});

Deno.test("readEndpoint() refuses a key that no header can carry, and does not show it", () => {
  for (const key of ["s3cret two", "s3cret\r\nx-evil: 1", "s3crét"]) {
    const error = assertThrows(() => readEndpoint(STRICT, env({ ACME_KEY: key })), SkepError);
    assertEquals(error.message, "ACME_KEY must be printable ASCII without spaces");
  }
});

Deno.test("isEndpointSet() wants a key, or loopback where that will do", () => {
  assertEquals(isEndpointSet(STRICT, env({ ACME_KEY: "k" })), true);
  assertEquals(isEndpointSet(STRICT, env({ ACME_KEY: " " })), false);
  assertEquals(isEndpointSet(STRICT, env({ ACME_URL: "http://localhost:1" })), false);
  assertEquals(isEndpointSet(LOCAL, env({ ACME_URL: "http://localhost:1" })), true);
  assertEquals(isEndpointSet(LOCAL, env({ ACME_URL: "https://a.test" })), false);
  assertEquals(isEndpointSet(LOCAL, env({})), false);
  assertEquals(isEndpointSet(STRICT, env({ ACME_KEY_FILE: "/k" })), true);
  const signed = { ...STRICT, insteadOfKey: ["ID", "SECRET"] };
  assertEquals(isEndpointSet(signed, env({ ID: "a", SECRET: "b" })), true);
  assertEquals(isEndpointSet(signed, env({ ID: "a" })), false);
});
