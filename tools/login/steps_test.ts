import { assertEquals, assertRejects } from "@std/assert";
import { STEPS } from "./steps.ts";

/** Asks a server for its endpoints that calls itself so. */
function describe(issuer: string, told: Record<string, unknown>) {
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
  };
  return STEPS.describe!(told, () => Promise.resolve(Response.json(metadata)));
}

Deno.test("describe takes the metadata of the server that was named, and of no other", async () => {
  const told = { authorizationServer: "https://as.example/", isNamed: true };
  const { metadata } = await describe("https://as.example", told);
  assertEquals((metadata as { issuer: string }).issuer, "https://as.example");
  for (const issuer of ["https://other.example", "https://as.example/tenant"]) {
    await assertRejects(() => describe(issuer, told), Error, `it calls itself ${issuer}`);
  }
});

Deno.test("a login at a server of before March 2025 works whose issuer is a path of its own origin", async () => {
  const told = { authorizationServer: "https://far.example/", isNamed: false };
  const { metadata } = await describe("https://far.example/oauth", told);
  assertEquals((metadata as { issuer: string }).issuer, "https://far.example/oauth");
  const elsewhere = () => describe("https://other.example/oauth", told);
  await assertRejects(elsewhere, Error, "it calls itself https://other.example/oauth");
});
