/**
 * What the person's own tools run later, below a writable workspace: read-only for servers, so that
 * nothing waits there for the person. Relative to the workspace. What a project's own commands run
 * (`package.json`, `Makefile`, build scripts, workflows) is not in it: whoever runs those runs the
 * project, and to write it is a coding agent's work. Nor is `.gitmodules`, in which git takes no command.
 */
export const PROTECTED_FILES: Readonly<Record<string, string>> = {
  ".git/hooks": "git runs them",
  ".git/config": "git runs programs it names",
  ".git/config.worktree": "git runs programs it names",
  ".git/commondir": "git takes its configuration from where it leads",
  ".husky": "git runs them",
  ".envrc": "direnv runs it",
  ".vscode": "the editor runs its tasks",
  ".idea": "the editor runs its tasks",
  ".devcontainer": "the editor builds and runs it",
  ".devcontainer.json": "the editor builds and runs it",
  ".zed": "the editor runs programs it names",
  ".cursor": "the editor runs programs it names",
  ".mcp.json": "agents start the servers it names",
  ".claude": "agents run programs it names",
  ".codex": "agents run programs it names",
  ".gemini": "agents run programs it names",
  ".opencode": "agents run it",
  "opencode.json": "agents start the servers it names",
  ".npmrc": "npm runs programs it names",
  ".yarnrc": "yarn runs programs it names",
  ".yarnrc.yml": "yarn runs programs it names",
  ".yarn/releases": "yarn runs them",
  ".yarn/plugins": "yarn runs them",
  ".pre-commit-config.yaml": "git's hooks run it",
  "lefthook.yml": "git's hooks run it",
  ".lefthook.yml": "git's hooks run it",
  "lefthook-local.yml": "git's hooks run it",
  ".mise.toml": "mise runs it in each shell",
  "mise.toml": "mise runs it in each shell",
  "grants.lock": "skep audit --check goes by it",
};

/**
 * Those of {@linkcode PROTECTED_FILES} that a server cannot make either, where they are missing: they work
 * without a question, or as soon as the folder is opened. For the others a person is told when a server
 * made one: to hold the place of each would litter the workspace.
 */
export const HELD_WHEN_MISSING: readonly string[] = [
  ".git/hooks",
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
  ".husky",
  ".envrc",
  ".vscode",
  ".idea",
  ".devcontainer",
];

/** The same of the person's home folder, where a workspace holds one of them. What is missing there is left so. */
export const IN_HOME: Readonly<Record<string, string>> = {
  ".bashrc": "the shell runs it",
  ".bash_profile": "the shell runs it",
  ".bash_login": "the shell runs it",
  ".bash_logout": "the shell runs it",
  ".bash_aliases": "the shell runs it",
  ".profile": "the shell runs it",
  ".zshenv": "the shell runs it",
  ".zprofile": "the shell runs it",
  ".zshrc": "the shell runs it",
  ".zlogin": "the shell runs it",
  ".config/fish": "the shell runs it",
  ".gitconfig": "git runs programs it names",
  ".config/git": "git runs programs it names",
  ".cargo/config.toml": "cargo runs programs it names",
  ".vimrc": "the editor runs it",
  ".vim": "the editor runs it",
  ".config/nvim": "the editor runs it",
  ".emacs": "the editor runs it",
  ".emacs.d": "the editor runs it",
  ".tmux.conf": "tmux runs programs it names",
  ".config/autostart": "the desktop runs them",
  ".config/systemd": "the system runs them",
  ".local/share/applications": "the desktop runs them",
  "Library/LaunchAgents": "the system runs them",
  ".local/bin": "programs of the person's",
  ".cargo/bin": "programs of the person's",
  "bin": "programs of the person's",
  ".rustup": "programs of the person's",
  ".nvm": "programs of the person's",
  ".pyenv": "programs of the person's",
  ".rbenv": "programs of the person's",
  ".asdf": "programs of the person's",
  ".volta": "programs of the person's",
  ".sdkman": "programs of the person's",
  ".deno/bin": "programs of the person's",
  ".bun/bin": "programs of the person's",
  ".npm-global": "programs of the person's",
  ".local/share/mise": "programs of the person's",
  ".local/share/fnm": "programs of the person's",
};

/** What `protect` of a policy calls what no path in the workspace names. */
export const PROTECTED_GROUPS: Readonly<Record<string, string>> = {
  "${SKEP}": "skep's own program",
  "${PACK}": "the pack and the server files in use",
  "${POLICY}": "the policy in use",
  "${HOME}": "what runs by itself in a home folder",
};

/** What skep itself is run from, below its folder. */
export const OWN_PROGRAM: readonly string[] = [
  "cli.ts",
  "mod.ts",
  "lib",
  "tools",
  "personas",
  "dist",
  "deno.json",
  "import_map.json",
  "deno.lock",
  "package.json",
  ".npmrc",
  "node_modules",
];
