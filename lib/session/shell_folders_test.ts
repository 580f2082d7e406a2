import { assertEquals } from "@std/assert";
import { shellFolders } from "./shell_folders.ts";

Deno.test("shellFolders() follows a line from folder to folder", () => {
  const cases: [string, string[]][] = [
    ["cd a", ["a"]],
    ["cd a && npm test", ["a"]],
    ["cd 'a b'; cd ../c && ls", ["a b", "a b/../c"]],
    ["(cd a/b; make) | tee log", ["a/b"]],
    ["pushd -n /w/x", ["/w/x"]],
    ["git -C sub log && make -C other all", ["sub", "other"]],
    ["bash -c 'cd inner'", ["inner"]],
  ];
  for (const [line, folders] of cases) assertEquals([line, shellFolders(line)], [line, folders]);
});

Deno.test("shellFolders() says nothing of what the text does not tell", () => {
  for (
    const line of ["ls a", "cd", "cd -", "cd ~/x", 'cd "$DIR"', "cd $(pwd)", "git -C", "if then"]
  ) {
    assertEquals([line, shellFolders(line)], [line, []]);
  }
});
