import { assertEquals } from "@std/assert";
import { layGitIdentity } from "./git_identity.ts";

Deno.test("the machine's git settings lose to the person's author, and win over an author of the last resort", async () => {
  const laid = async (who: { readonly author: string; readonly person?: string }) => {
    let laid = "";
    const writeTextFile = (_path: unknown, text: unknown) => {
      laid = String(text);
      return Promise.resolve();
    };
    await layGitIdentity("/s", who, { writeTextFile } as Pick<typeof Deno, "writeTextFile">, "/m");
    return laid;
  };
  const [author, machine] = [
    '[user]\n\tname = "A"\n\temail = "a@b"\n',
    '[include]\n\tpath = "/m"\n',
  ];
  assertEquals(await laid({ author: "A <a@b>" }), author + machine);
  assertEquals(
    await laid({ author: "A <a@b>", person: 'Q "the" R <q@b>' }),
    `${author}${machine}[user]\n\tname = "Q \\"the\\" R"\n\temail = "q@b"\n`,
  );
});
