/** Programs that start whatever they are told to: who may run one of them may run all. */
const STARTERS = [
  "sh",
  "bash",
  "dash",
  "zsh",
  "fish",
  "ksh",
  "env",
  "xargs",
  "find",
  "make",
  "git",
  "ssh",
  "vim",
  "awk",
  "node",
  "npm",
  "npx",
  "deno",
  "bun",
  "perl",
  "ruby",
  "php",
  "cargo",
  "go",
];

/** True for a program that starts any other one: a shell, an interpreter, a tool that runs commands. */
export function canStartOthers(name: string): boolean {
  const plain = name.toLowerCase().replace(/\.exe$/, "");
  return STARTERS.includes(plain) || /^(python|pip|lua)[\d.]*$/.test(plain);
}
