import { messageOf } from "../../lib/errors.ts";
import { tree as walkTree, treeDefaults } from "./commands/tree.ts";
import { locate } from "./paths.ts";
import { defineTool, failed, type Tool } from "./tool.ts";

/** Shows a folder as a tree. */
export const tree: Tool = defineTool({
  name: "tree",
  description:
    "Shows a folder as a tree with the number of lines of each file. What .gitignore and " +
    ".ignore leave out and hidden files are skipped. The sums of folders are of all below, " +
    "whatever the depth.",
  schema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The folder, relative to workdir" },
      depth: { type: "integer", description: "How many levels to open", minimum: 1 },
      sizes: { type: "boolean", description: "Sizes too" },
      hidden: { type: "boolean", description: "Hidden files too" },
      no_ignore: { type: "boolean", description: "Ignored files too" },
      workdir: { type: "string", description: "A folder, instead of the working directory" },
    },
    required: [],
    additionalProperties: false,
  },
  annotations: {
    title: "Show a folder",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async ({ path = ".", depth, workdir, ...wanted }, context, signal) => {
    const { limits, world } = context;
    const root = await locate(path, workdir, "read", context);
    const isFolder = await world.stat(root).then((facts) => facts.isDirectory, () => false);
    if (!isFolder) throw failed(context, `Cannot show "${path}": it is not a folder that exists`);
    const defaults = treeDefaults(limits);
    const options = {
      ...defaults,
      depth: depth ?? defaults.depth,
      hasSizes: wanted.sizes ?? false,
      isHiddenTaken: wanted.hidden ?? false,
      isIgnoredTaken: wanted.no_ignore ?? false,
    };
    const until = AbortSignal.any([signal, AbortSignal.timeout(limits.searchTimeoutMs)]);
    try {
      const { text, notes } = await walkTree(root, options, world, until);
      return { text: text + notes.map((note) => `[${note}]\n`).join("") };
    } catch (error) {
      throw failed(context, `Cannot show "${path}": ${messageOf(error)}`, error);
    }
  },
});
