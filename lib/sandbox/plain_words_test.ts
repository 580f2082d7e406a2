import { assertEquals } from "@std/assert";
import { cautions } from "./cautions.ts";
import { canStartOthers } from "./can_start_others.ts";
import { type PlainFacts, plainWords } from "./plain_words.ts";

const entries = (...values: string[]) => values.map((value) => ({ value, origin: "o" }));

function facts(
  grant: Partial<Record<"read" | "write" | "net" | "run" | "env" | "secrets", string[]>>,
  more: Partial<PlainFacts> = {},
): PlainFacts {
  const { read = [], write = [], net = [], run = [], env = [], secrets = [] } = grant;
  return {
    kind: "script",
    grant: {
      read: [...entries(...read, ...write, "/t/tmp"), { value: "/own", origin: "own files" }],
      write: entries(...write, "/t/tmp", "/t/home"),
      net: entries(...net),
      run: entries(...run),
      env: entries(...env),
      secrets: secrets.map((value) => ({ value, origin: "o", from: `env:${value}` })),
      workspace: "/ws",
      tmp: "/t/tmp",
    },
    secretNames: secrets,
    home: "/t/home",
    backend: "bwrap",
    os: "linux",
    ...more,
  };
}

Deno.test("plainWords() says nothing of what is the server's own", () => {
  assertEquals(plainWords(facts({})), [
    "It sees none of your files.",
    "It starts no programs.",
    "It reaches no network.",
    "It is given no secrets: your keys and variables stay outside.",
    "The operating system holds it to that (bwrap), with all that it starts.",
  ]);
});

Deno.test("plainWords() tells files that are read from those that are changed", () => {
  const [first] = plainWords(facts({ read: ["/ws", "/data"] }));
  assertEquals(first, "It reads the workspace /ws and /data, and changes none of your files.");
  const [second] = plainWords(facts({ read: ["/a", "/b", "/c"], write: ["/ws", "/out"] }));
  assertEquals(
    second,
    "It reads, changes and deletes files in the workspace /ws and /out. It also reads /a, /b and /c.",
  );
});

Deno.test("plainWords() says what a program that starts others means", () => {
  const [, shell] = plainWords(facts({ run: ["/usr/bin/bash", "/usr/bin/ls"] }));
  assertEquals(
    shell,
    "It starts bash and ls, and through it any program installed here, all under these same limits.",
  );
  const [, plain] = plainWords(facts({ run: ["/usr/bin/ls"] }, { backend: undefined }));
  assertEquals(plain, "It starts ls, and nothing limits what they do.");
  assertEquals(["bash", "python3.12", "Node.exe", "ls", "pythonic"].map(canStartOthers), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("plainWords() names hosts, and says when nothing holds a server to them", () => {
  const network = (net: string[], more: Partial<PlainFacts> = {}) =>
    plainWords(facts({ net }, more))[2];
  assertEquals(
    network(["a.example:443", "unix:/run/x.sock"]),
    "It reaches a.example:443 on the network and the socket /run/x.sock, and nothing else.",
  );
  assertEquals(network(["loopback"]), "It reaches no network.");
  assertEquals(
    network(["loopback:80"], { backend: undefined }),
    "It reaches other programs of this machine over loopback, and nothing else.",
  );
  assertEquals(
    network([], { backend: undefined, kind: "native" }),
    "It reaches the whole network: nothing holds it back.",
  );
});

Deno.test("plainWords() says what holds the server, and when nothing does", () => {
  const last = (more: Partial<PlainFacts>) => plainWords(facts({}, more)).at(-1);
  assertEquals(
    plainWords(facts({ net: ["a.example"] })).at(-1),
    "The operating system holds it to its files (bwrap), Deno to its part of the network.",
  );
  assertEquals(
    last({ backend: undefined }),
    "Only Deno holds it to that, and not all of it: see what is not confined.",
  );
  assertEquals(
    last({ backend: undefined, kind: "native" }),
    "Nothing holds it to that: it can do whatever you can.",
  );
});

Deno.test("cautions() puts what leaves the machine first, then what is changed", () => {
  const grant = {
    read: ["/ws"],
    write: ["/ws", "/out"],
    net: ["*.example.org", "loopback"],
    secrets: ["TOKEN"],
  };
  assertEquals(cautions(facts(grant)), [
    "can send what it reads and the secret TOKEN to *.example.org",
    "reaches every name below example.org",
    "changes files outside of the workspace: /out",
    "can change scripts and sources of the workspace, which you may run later",
  ]);
  assertEquals(cautions(facts({})), []);
  assertEquals(cautions(facts({ env: ["BASH_ENV", "FOO"] })), [
    "is given BASH_ENV: each script of bash that it starts runs that file first",
  ]);
  assertEquals(cautions(facts({ net: ["a.example"] })), []); // it has nothing to send
});

Deno.test("plainWords() does not overstate what Landlock holds: protected files can be written", () => {
  const last = (write: string[]) => plainWords(facts({ write }, { backend: "landlock" })).at(-1);
  assertEquals(
    last(["/ws"])?.includes(
      "But not to all of it: protected files of the workspace can be written",
    ),
    true,
  );
  assertEquals(last([])?.includes("But not to all of it: see what is not confined."), true);
});
