import { assertEquals, assertThrows } from "@std/assert";
import { decide } from "./decide.ts";
import { parseApprovals } from "./parse_approvals.ts";
import { SkepError } from "../errors.ts";

function action(approvals: unknown, tool: string, args: Record<string, unknown> = {}): string {
  return decide([parseApprovals(approvals, "test")], { tool, args }).action;
}

const NO_CURL = [{ deny: "dev__shell", command: "curl *" }];
const shell = (command: string, rules: unknown = NO_CURL) =>
  action(rules, "dev__shell", { command });

Deno.test("decide() allows what no rule speaks of", () => {
  assertEquals(action([], "s__t"), "allow");
  assertEquals(action([{ deny: "x__*" }], "s__t"), "allow");
});

Deno.test("decide() lets the most specific rule decide, and the stricter of two that say as much", () => {
  const rules = [{ deny: "*" }, { ask: "fs__*" }, { allow: "fs__read" }, {
    deny: "fs__read",
    args: { path: "/etc/*" },
  }];
  assertEquals(action(rules, "x__y"), "deny");
  assertEquals(action(rules, "fs__write"), "ask");
  assertEquals(action(rules, "fs__read", { path: "/tmp/a" }), "allow");
  assertEquals(action(rules, "fs__read", { path: "/etc/passwd" }), "deny");
  assertEquals(action([{ allow: "s__t" }, { deny: "s__t" }], "s__t"), "deny");
});

Deno.test("a rule that allows a program allowed it with any variable set, which runs any other", () => {
  const rules = [
    { deny: "dev__shell" },
    { allow: "dev__shell", command: "git log *" },
    { allow: "dev__shell", command: "CI=1 make *" },
  ];
  const of = (command: string) => action(rules, "dev__shell", { command });
  assertEquals(of("git log -p"), "allow");
  assertEquals(of("CI=1 make test"), "allow");
  for (
    const line of [
      "GIT_EXTERNAL_DIFF='touch x' git log -p --ext-diff",
      "PATH=.; git log",
      "for PATH in .; do git log; done",
      "true && LD_PRELOAD=./x.so git log",
      "make test",
      "CI=2 make test",
    ]
  ) assertEquals([line, of(line)], [line, "deny"]);
});

Deno.test("decide() takes the strictest of several sources", () => {
  const pack = parseApprovals(
    [{ allow: "dev__shell", command: "curl https://example.com/*" }],
    "pack",
  );
  const policy = parseApprovals(NO_CURL, "policy");
  const args = { command: "curl https://example.com/a" };
  assertEquals(decide([pack, policy], { tool: "dev__shell", args }).action, "deny");
});

Deno.test("decide() denies an MCP tool by its server's pattern (T84)", () => {
  assertEquals(action([{ deny: "x__*" }], "x__anything"), "deny");
});

for (
  const [line, wanted] of [
    ["curl example.com", "deny"],
    ["curl", "deny"],
    ["/usr/bin/curl x", "deny"],
    ['c""url x', "deny"],
    ["cu\\rl x", "deny"],
    ["'curl' x", "deny"],
    ["A=1 curl x", "deny"],
    ["A='1 2' B=\"3\" C=\\4 curl x", "deny"],
    ["A=1; B='2' curl x", "deny"],
    ["env A=1 curl x", "deny"],
    ["env -i curl x", "deny"],
    ["sh -c 'curl x'", "deny"],
    ["bash -lc 'true && curl x'", "deny"],
    ["echo a | xargs curl", "deny"],
    ["nice -n 5 curl x", "deny"],
    ["timeout 5s curl x", "deny"],
    ["ls && curl x", "deny"],
    ["ls; curl x", "deny"],
    ["ls\ncurl x", "deny"],
    ["ls & curl x", "deny"],
    ["echo $(curl x)", "deny"],
    ['echo "$(curl x)"', "deny"],
    ["echo `curl x`", "deny"],
    ["cat <(curl x)", "deny"],
    ["if true; then curl x; fi", "deny"],
    ["for i in 1 2; do curl $i; done", "deny"],
    ["( curl x )", "deny"],
    ["curl x > out 2>&1", "deny"],
    ["> out curl x", "deny"],
    ["eval curl x", "deny"],
    ["find . -exec curl {} ;", "deny"],
    ['A="b" curl x', "deny"],
    ["sh -c 'A=\"b\" curl x'", "deny"],
    ["time curl x", "deny"],
    ["time -p curl x", "deny"],
    ["time -- curl x", "deny"],
    ["time -p { curl x; }", "deny"],
    ["/usr/bin/time -v curl x", "deny"],
    ["sh -ce 'curl x'", "deny"],
    ["bash -cx 'curl x'", "deny"],
    ["sh -c -e 'curl x'", "deny"],
    ["bash -c -- 'curl x'", "deny"],
    ["bash -o pipefail -c 'curl x'", "deny"],
    ["bash +x --norc -euo pipefail -c 'curl x' name", "deny"],
    ['env -S"curl x"', "deny"],
    ["env -vS 'curl x'", "deny"],
    ["env -S curl x", "deny"],
    ["env --split-string='A=1 curl x'", "deny"],
    ["su -c'curl x' me", "deny"],
    ["script -ccurl out", "deny"],
    ['trap "curl x" EXIT', "deny"],
    ["trap -- 'curl x' EXIT", "deny"],
    ["prlimit --nproc=9 curl x", "deny"],
    ["setpriv --no-new-privs curl x", "deny"],
    ["fakeroot -- curl x", "deny"],
    ["ls | xargs -n1 curl", "deny"],
    ["git status # \\\ncurl x", "deny"],
    ["git log \\\\\ncurl x", "deny"],
    ["echo 'a\\\n'; curl x", "deny"],
    ["git log \r# ; curl x", "deny"],
    ['cu\\\nrl "a\\\nb" >\\\n out', "deny"],
    ["ls |\\\n curl x", "deny"],
    ["ls &\\\n& curl x", "ask"],
    ["echo $\\\n(curl x)", "ask"],
    ["echo `git log \\\\\\\ncurl x`", "ask"],
    ["coproc N { curl x; }", "ask"],
    ["coproc echo { curl x; }", "ask"],
    ["coproc curl x", "ask"],
    [". <(curl x)", "ask"],
    [". <(echo curl x)", "ask"],
    ["source /dev/stdin", "ask"],
    ["bash /dev/fd/0", "ask"],
    ["bash -s < list", "ask"],
    ["echo curl x | at now", "ask"],
    ["echo curl x | parallel", "ask"],
    ["echo curl x | xargs env", "ask"],
    ["find / -name curl -exec {} x ;", "ask"],
    ["find . $MORE", "ask"],
    ["for i do curl x; done", "ask"],
    ["alias l=curl", "ask"],
    ["test -v 'a[$(curl x)]'", "ask"],
    ["x='$(curl y)'; echo ${x@P}", "ask"],
    ["fish --command='curl x'", "ask"],
    ["xargs -a list curl", "ask"],
    ["python3 -c 'import os'", "ask"],
    ["$CMD x", "ask"],
    ["$(echo curl) x", "ask"],
    ["cur? x", "ask"],
    ["{curl,x}", "ask"],
    ["echo 'curl x' | sh", "ask"],
    ["bash <<< 'curl x'", "ask"],
    ['sh -c "$X"', "ask"],
    ["$'cu\\x72l' x", "ask"],
    ["f() { curl x; }", "ask"],
    ["echo 'unclosed", "ask"],
    ["git log -1", "allow"],
    ["echo curl", "allow"],
    ["ls # curl x", "allow"],
    ["echo ';' curl", "allow"],
    ["grep -r curl . | sort | uniq -c", "allow"],
    ["python3 build.py", "allow"],
    ["find . -name '*.ts' -newer \"$F\"", "allow"],
    ["find src -name '*.ts' -exec grep -l curl {} +", "allow"],
    ['sh -c \'echo "$1"\' _ "$X"', "allow"],
    ["ls | xargs cat", "allow"],
    ['bash build.sh "$X"', "allow"],
    [". ./settings.sh", "allow"],
    ['[ "$(id -u)" = 0 ] && echo "${a[@]}"', "allow"],
    ["time -p ls", "allow"],
    ["git log --grep='# not a comment' |\\\n cat", "allow"],
  ] as const
) {
  Deno.test(`decide() sees through a line of shell: ${JSON.stringify(line)} (T70)`, () => {
    assertEquals(shell(line), wanted);
  });
}

Deno.test("decide() allows a line only when each of its commands is allowed", () => {
  const rules = [{ ask: "dev__shell" }, { allow: "dev__shell", command: "git log *" }];
  assertEquals(shell("git log -1 && git log -2", rules), "allow");
  assertEquals(shell("git log -1; rm -rf .", rules), "ask");
  assertEquals(shell("/tmp/git log", rules), "ask");
  assertEquals(shell("git log $(rm -rf .)", rules), "ask");
  assertEquals(shell("git log > ~/.bashrc", rules), "ask");
  assertEquals(shell("git log 2>&1 2>/dev/null", rules), "allow");
  assertEquals(shell("git log &>> x", [...rules, { allow: "*", command: "> *" }]), "allow");
});

Deno.test("decide() asks when an argument that a rule forbids may hide behind a variable", () => {
  const rules = [{ deny: "dev__shell", command: "git push --force*" }];
  assertEquals(shell("git push --force", rules), "deny");
  assertEquals(shell("git push $FLAGS", rules), "ask");
  assertEquals(shell("ls $FLAGS", rules), "allow");
});

Deno.test("decide() lets a rule that allows a program speak of no text that a comment or a backslash hides", () => {
  const rules = [{ deny: "dev__shell" }, { allow: "dev__shell", command: "git *" }];
  assertEquals(shell("git status # \\\nid", rules), "deny");
  assertEquals(shell("git log --oneline \\\\\nid", rules), "deny");
  assertEquals(shell("git log --oneline \\\n --all", rules), "allow");
  assertEquals(shell("env GIT_EXTERNAL_DIFF=id git diff", rules), "deny");
  assertEquals(shell("export GIT_EXTERNAL_DIFF=id; git diff", rules), "deny");
});

Deno.test("parseApprovals() says what is wrong with a rule", () => {
  for (
    const [value, message] of [
      ["x", "Cannot use approvals in policy.yaml: it must be a list of rules"],
      [{ rule: [] }, "Cannot use approvals.rule in policy.yaml: the keys are rules and mode"],
      [{ mode: "x" }, "Cannot use approvals.mode in policy.yaml: it is plan or normal"],
      [[1], "Cannot use approvals[0] in policy.yaml: it must be a mapping"],
      [
        [{ command: "x" }],
        "Cannot use approvals[0] in policy.yaml: it must have one of allow, ask and deny",
      ],
      [[{ alow: "x" }], 'Cannot use approvals[0].alow in policy.yaml: did you mean "allow"?'],
      [[{ ask: 1 }], "Cannot use approvals[0].ask in policy.yaml: it must be a pattern, not 1"],
    ] as const
  ) {
    assertEquals(
      assertThrows(() => parseApprovals(value, "policy.yaml"), SkepError).message,
      message,
    );
  }
  assertEquals(parseApprovals({ rules: [], mode: "plan" }, "p"), {
    source: "p",
    rules: [],
    mode: "plan",
  });
  assertEquals(parseApprovals(undefined, "policy.yaml"), { source: "policy.yaml", rules: [] });
});

Deno.test("a server that was renamed was out of reach of the rules about it", () => {
  const names = { own: ["a__b__echo"], shared: ["fs__echo"] };
  const said = (rule: unknown) =>
    decide([parseApprovals([rule], "test")], { tool: "a_b__echo", args: {}, names }).action;
  assertEquals(said({ deny: "a_b__echo" }), "deny");
  assertEquals(said({ deny: "a__b__echo" }), "deny");
  assertEquals(said({ ask: "a__b__*" }), "ask");
  assertEquals(said({ deny: "fs__*" }), "deny");
  const asks = (allow: string) =>
    decide([parseApprovals([{ ask: "*" }, { allow }], "test")], {
      tool: "a_b__echo",
      args: {},
      names,
    }).action;
  assertEquals(asks("a__b__*"), "allow");
  assertEquals(asks("fs__*"), "ask"); // it is another server's name by right
});
