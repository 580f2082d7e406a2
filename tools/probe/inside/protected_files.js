import { append, bait, create, deny, exists, named, swap } from "./attempt.js";

/** What the person's own tools run later, in a workspace that may be written. */
export async function protectedFiles() {
  for (const name of [".git/hooks", ".vscode", ".devcontainer", ".husky", ".idea"]) {
    await deny(`protected-create ${name}`, () => createIn(name));
  }
  await deny("protected-create .envrc", () => create(".envrc"));
  await deny("protected-create .git/commondir", () => {
    if (exists(".git/commondir")) append(".git/commondir");
    else create(".git/commondir");
  });
  await deny("protected-append .git/config", () => append(".git/config"));
  await deny("protected-append .vscode/settings.json", () => append(".vscode/settings.json"));
  await deny("protected-chmod .git/config", () => Deno.chmodSync(".git/config", 0o600));
  await deny("protected-replace .git/config", () => {
    Deno.writeTextFileSync(named("config"), Deno.readTextFileSync(".git/config"));
    try {
      Deno.renameSync(named("config"), ".git/config");
    } finally {
      if (exists(named("config"))) Deno.removeSync(named("config"));
    }
  });
  await deny("protected-rename .vscode", () => swap(".vscode", named("vscode")));
  await deny("protected-rename .git", () => swap(".git", named("git")));
  await deny("rename-workspace", () => swap(bait.workspace, `${bait.workspace}-${bait.unique}`));
}

/** Makes a file in a folder, which is made for it when it is missing. */
function createIn(name) {
  const isNew = !exists(name);
  if (isNew) Deno.mkdirSync(name);
  try {
    create(`${name}/${named("new")}`);
  } finally {
    if (isNew) Deno.removeSync(name);
  }
}
