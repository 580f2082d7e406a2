import { assertEquals } from "@std/assert";
import { registryLines } from "./npm_settings.ts";
import { testContext } from "./test_world.ts";

Deno.test("registryLines() says where packages come from, and leaves tokens behind", async () => {
  const npmrc = [
    "registry=https://me:pw@registry.example/",
    "@corp:registry = https://npm.corp.example/",
    "//registry.example/:_authToken=secret",
    "cafile=/x",
    "registry=${REGISTRY}",
  ].join("\n");
  const context = testContext({ files: { "/home/u/.npmrc": npmrc } });
  assertEquals(
    await registryLines(context),
    "registry=https://registry.example/\n@corp:registry = https://npm.corp.example/\n",
  );
});

Deno.test("registryLines() lets the variable win, as Deno does", async () => {
  const context = testContext({ env: { NPM_CONFIG_REGISTRY: "https://mirror.example" } });
  assertEquals(await registryLines(context), "registry=https://mirror.example\n");
  assertEquals(await registryLines(testContext()), "");
});
