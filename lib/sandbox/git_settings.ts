/** One setting of a git configuration: section and name in lower case, a subsection between as it is. */
export interface GitSetting {
  /** Such as `core.fsmonitor` or `filter.lfs.clean`. */
  readonly key: string;
  readonly value: string;
}

/**
 * The settings that make git run nothing, whatever they say, with `*` for a subsection. A list of what is
 * harmless, since git grows settings that name programs. `remote.*.url` is one: git itself allows no
 * helper of the file's choice there (`protocol.ext.allow`), and no host that reads as an option of ssh.
 *
 * @see git-config(1)
 */
const HARMLESS: readonly string[] = [
  ...core(
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks",
    "autocrlf eol safecrlf sharedrepository compression quotepath bigfilethreshold longpaths worktree",
    "protectntfs protecthfs untrackedcache preloadindex abbrev sparsecheckout sparsecheckoutcone",
    "commentchar whitespace excludesfile attributesfile checkstat trustctime multipackindex",
  ),
  "user.name",
  "user.email",
  "user.signingkey",
  "author.name",
  "author.email",
  "committer.name",
  "committer.email",
  "init.defaultbranch",
  ...["remote", "merge", "rebase", "description", "pushremote", "base"].map(below("branch")),
  ...["url", "pushurl", "fetch", "push", "tagopt", "prune", "mirror", "promisor"]
    .map(below("remote")),
  "remote.*.partialclonefilter",
  "remote.pushdefault",
  ...["active", "url", "branch", "ignore", "path", "shallow"].map(below("submodule")),
  "submodule.active",
  "submodule.recurse",
  "extensions.objectformat",
  "extensions.compatobjectformat",
  "extensions.refstorage",
  "extensions.partialclone",
  "extensions.worktreeconfig",
  "push.default",
  "push.autosetupremote",
  "push.followtags",
  "pull.rebase",
  "pull.ff",
  "merge.ff",
  "merge.conflictstyle",
  "fetch.prune",
  "gc.auto",
  "gc.autodetach",
  "maintenance.auto",
  "rebase.autostash",
  "rebase.autosquash",
  "rerere.enabled",
  "diff.algorithm",
  "diff.renames",
  "color.ui",
  "status.showuntrackedfiles",
  "index.version",
  "feature.manyfiles",
  "lfs.repositoryformatversion",
];

/** Harmless with these values alone: what switches a thing off, or on without a program of the file's. */
const HARMLESS_VALUES: Readonly<Record<string, readonly string[]>> = {
  "core.fsmonitor": ["", "false", "no", "off", "0"],
  "core.hookspath": ["/dev/null"],
  "commit.gpgsign": ["", "false", "no", "off", "0"],
  "tag.gpgsign": ["", "false", "no", "off", "0"],
  "submodule.*.update": ["checkout", "rebase", "merge", "none"],
};

function core(...names: string[]): string[] {
  return names.flatMap((line) => line.split(" ")).map((name) => `core.${name}`);
}

function below(section: string): (name: string) => string {
  return (name) => `${section}.*.${name}`;
}

/** True for a setting that may make git run a program, or take in another file of settings. */
export function runsPrograms({ key, value }: GitSetting): boolean {
  const [section = "", ...rest] = key.split(".");
  const name = rest.pop() ?? "";
  const general = rest.length === 0 ? `${section}.${name}` : `${section}.*.${name}`;
  if (HARMLESS.includes(general)) return false;
  const harmless = Object.hasOwn(HARMLESS_VALUES, general) ? HARMLESS_VALUES[general] : undefined;
  return harmless?.includes(value.toLowerCase()) !== true;
}

/**
 * Reads a git configuration as git does, to the end of the file.
 *
 * @returns undefined for a text that git would not read either, or reads otherwise than it looks.
 * @see git-config(1), "Syntax"
 */
export function gitSettings(text: string): GitSetting[] | undefined {
  if (text.includes("\0")) return undefined;
  const settings: GitSetting[] = [];
  let section: string | undefined;
  let rest = text.replace(/^\ufeff/, "");
  while ((rest = rest.replace(SKIPPED, "")) !== "") {
    const header = HEADER.exec(rest);
    if (header !== null) {
      const [whole, name = "", quoted] = header;
      const subsection = quoted === undefined ? "" : `.${quoted.replaceAll(/\\(.)/g, "$1")}`;
      section = name.toLowerCase() + subsection;
      rest = rest.slice(whole.length);
      continue;
    }
    const [whole, name = "", value] = SETTING.exec(rest) ?? [];
    if (whole === undefined || section === undefined) return undefined;
    const read = value === undefined ? "" : valueOf(value);
    if (read === undefined) return undefined;
    settings.push({ key: `${section}.${name.toLowerCase()}`, value: read });
    rest = rest.slice(whole.length);
  }
  return settings;
}

const SKIPPED = /^(?:\s+|[#;][^\n]*)+/;
const HEADER = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/;
/** A name, and a value up to the end of the line that no backslash continues. */
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=((?:[^\\\n]|\\[^\n]|\\\r?\n)*))?(?:\r?\n|$)/;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  b: "\b",
  "\\": "\\",
  '"': '"',
};

/** A value without its quotes, escapes and comment; undefined for what git refuses. */
function valueOf(written: string): string | undefined {
  const text = written.replaceAll(/\\\r?\n/g, "");
  let value = "";
  let kept = 0; // what is quoted stays at the end too
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (letter === "#" || letter === ";")) break;
    else if (letter === "\\") {
      const escaped = ESCAPES[text[++at] ?? ""];
      if (escaped === undefined) return undefined;
      value += escaped;
      kept = value.length;
    } else if (value !== "" || isQuoted || !/\s/.test(letter)) {
      value += letter;
      if (isQuoted || !/\s/.test(letter)) kept = value.length;
    }
  }
  return isQuoted ? undefined : value.slice(0, kept);
}
