import { assertEquals, assertThrows } from "@std/assert";
import { SkepError } from "../errors.ts";
import { expandVariables } from "./variables.ts";

const AT = { server: "s", entry: "read" };
const VARIABLES = { WORKSPACE: "/w$&", TMP: "/t", HOME: "/h" };

Deno.test("expandVariables() puts each value in as it is", () => {
  assertEquals(expandVariables("${WORKSPACE}/a:${TMP}${HOME}", VARIABLES, AT), "/w$&/a:/t/h");
  assertEquals(expandVariables("$WORKSPACE $(id)", VARIABLES, AT), "$WORKSPACE $(id)");
});

Deno.test("expandVariables() refuses an unknown name and one that stands for nothing", () => {
  assertThrows(
    () => expandVariables("${FOO}", VARIABLES, AT),
    SkepError,
    "${FOO} is none of ${WORKSPACE}",
  );
  const error = assertThrows(
    () => expandVariables("${PACK}", VARIABLES, AT),
    SkepError,
    "from no pack",
  );
  assertEquals(error.code, "GRANT_INVALID");
});
