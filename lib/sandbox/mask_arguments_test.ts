import { assertEquals } from "@std/assert";
import { maskArguments } from "./mask_arguments.ts";

const KEY = "sk-abcdefghijklmnop123";

Deno.test("maskArguments() shows no secret of a command line: behind a flag, in one, in a header, in a URL, alone", () => {
  assertEquals(
    maskArguments([
      "sh",
      "--token",
      "abc",
      "--api-key=xyz",
      "https://u:pw@h.example/x",
      "--url=postgres://u:pw@h.example/db",
      "--header",
      "Authorization: Bearer abc",
      "X-Api-Key:abc",
      "-e",
      "GH_TOKEN=abc",
      KEY,
    ]),
    [
      "sh",
      "--token",
      "[secret]",
      "--api-key=[secret]",
      "https://u:[secret]@h.example/x",
      "--url=postgres://u:[secret]@h.example/db",
      "--header",
      "Authorization: [secret]",
      "X-Api-Key:[secret]",
      "-e",
      "GH_TOKEN=[secret]",
      "[secret]",
    ],
  );
});

Deno.test("maskArguments() leaves what is no secret: packages, paths, addresses, flags, variables", () => {
  const words = [
    "npx",
    "-y",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "--key",
    "${WORKSPACE}/k",
    "--token-file=/run/token",
    "--max-tokens",
    "4096",
    "https://h.example:8080/x?y=1",
    "--allow-env=PATH,GH_TOKEN",
    "--token",
    "--verbose",
    "--password",
    "[secret PASSWORD]",
    "npm:server@1.0.0",
    "https://u:[secret]@h.example",
  ];
  assertEquals(maskArguments(words), words);
});
