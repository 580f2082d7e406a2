import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { bait, deny, folder, named } from "./attempt.js";

/** What Deno reads and writes by itself on behalf of a program. */
export async function modules() {
  const { secret, secretJson, outside } = bait;
  await deny("import-json", async () => {
    const { default: value } = await import(`file://${secretJson}`, { with: { type: "json" } });
    return JSON.stringify(value);
  });
  await deny("import-text", async () => {
    return (await import(`file://${secret}`, { with: { type: "text" } })).default;
  });
  await deny("require-json", () => {
    return JSON.stringify(createRequire(`${folder}/x.js`)(secretJson));
  });
  await deny("sqlite-outside", () => {
    const path = `${outside}/${named("db")}`;
    new DatabaseSync(path).close();
    Deno.removeSync(path);
  });
  await deny("storage-in-deno-dir", () => {
    localStorage.setItem(named("key"), "1"); // left there: the bait's owner tells it by its name
  });
}
