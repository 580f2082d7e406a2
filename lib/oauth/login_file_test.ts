import { assertEquals } from "@std/assert";
import { type Login, LoginFiles } from "./login_file.ts";

const URL = "https://far.example/mcp";
const LOGIN: Login = {
  url: URL,
  authorizationServer: "https://as.example",
  client: { client_id: "c" },
  redirectUri: "http://127.0.0.1:1/callback",
  accessToken: "t",
};

type Files = ConstructorParameters<typeof LoginFiles>[1];

/** Files in memory, which refuse what is larger than they are asked for. */
function kept(maxLoginFileBytes: number, isSymlink = false) {
  const texts = new Map<string, string>();
  const used: Partial<Files> = {
    lstat: (path) =>
      Promise.resolve(
        texts.has(path)
          ? { isFile: !isSymlink, isDirectory: false, isSymlink } as Awaited<
            ReturnType<Files["lstat"]>
          >
          : undefined,
      ),
    readText: (path, limit) => {
      const text = texts.get(path) ?? "";
      if (limit !== undefined && text.length > limit) throw new RangeError("it is too long");
      return Promise.resolve(text);
    },
    writeText: (path, text) => Promise.resolve(void texts.set(path, text)),
    makeFolder: () => Promise.resolve(),
    remove: (path) => Promise.resolve(void texts.delete(path)),
  };
  return { files: new LoginFiles("/state", used as Files, { maxLoginFileBytes }), texts };
}

Deno.test("LoginFiles reads a login exactly at its limit, and none past it", async () => {
  const size = JSON.stringify(LOGIN).length + 1;
  const { files } = kept(size);
  await files.write(LOGIN);
  assertEquals(await files.read(URL), LOGIN);
  const over = kept(size - 1);
  await over.files.write(LOGIN);
  assertEquals(await over.files.read(URL), undefined);
});

Deno.test("LoginFiles takes no login from a link, a file that was cut, or one of another server", async () => {
  const link = kept(1000, true);
  await link.files.write(LOGIN);
  assertEquals(await link.files.read(URL), undefined);
  const { files, texts } = kept(1000);
  await files.write(LOGIN);
  const [path, text] = [...texts][0]!;
  for (const other of [text.slice(0, -5), "[]", text.replace("far.example", "other.example")]) {
    texts.set(path, other);
    assertEquals(await files.read(URL), undefined);
  }
  assertEquals([await files.remove(URL), await files.remove(URL)], [true, false]);
});
