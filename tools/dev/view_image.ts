import { checkUnpacked } from "./image/check_unpacked.ts";
import { checkedAddress, fetchImage, shownAddress } from "./image/fetch_image.ts";
import { type ImageFacts, ImageRefused, readImage } from "./image/read_image.ts";
import { locate } from "./paths.ts";
import { readBytes } from "./read_bytes.ts";
import { defineTool, failed, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

const DEFAULT_EDGE = 1568;
const LEAST_EDGE = 64;
const MOST_EDGE = 2048;

/** Shows an image to the model. */
export const viewImage: Tool = defineTool({
  name: "view_image",
  description:
    "Shows an image: a file, a data: URL, or an https:// address that the grant has. png, " +
    "jpeg, gif and webp, told by their bytes; no animations. A large one is made smaller. Models " +
    "that take no images see its size alone.",
  schema: {
    type: "object",
    properties: {
      source: {
        type: "string",
        description: "A path relative to workdir, a data: URL or an https:// address",
      },
      max_dim: {
        type: "integer",
        description: `Most pixels of the longer edge, from ${LEAST_EDGE} to ${MOST_EDGE}`,
        minimum: 1,
        default: DEFAULT_EDGE,
      },
      workdir: { type: "string", description: "A folder, instead of the working directory" },
    },
    required: ["source"],
    additionalProperties: false,
  },
  annotations: {
    title: "View an image",
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  run: async ({ source, max_dim = DEFAULT_EDGE, workdir }, context, signal) => {
    const trimmed = source.trim();
    try {
      const { label, bytes } = await load(trimmed, workdir, context, signal);
      return await show(bytes, label, max_dim, context, signal);
    } catch (error) {
      if (!(error instanceof ImageRefused)) throw error;
      throw failed(context, `Cannot show ${labelOf(trimmed)}: ${error.message}`, error);
    }
  },
});

interface Loaded {
  readonly label: string;
  readonly bytes: Uint8Array;
}

async function load(
  source: string,
  workdir: string | undefined,
  context: ToolContext,
  signal: AbortSignal,
): Promise<Loaded> {
  if (source.startsWith("data:")) {
    return { label: "data: URL", bytes: fromDataUrl(source, context.limits.maxImageBytes) };
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(source)) {
    const url = checkedAddress(source);
    return { label: shownAddress(url), bytes: await fetchImage(url, context, signal) };
  }
  const target = await locate(source, workdir, "read", context);
  const { maxImageBytes } = context.limits;
  const advice = "make it smaller with the shell";
  const { bytes } = await readBytes(target, source, maxImageBytes, advice, context, signal);
  return { label: target, bytes };
}

/** @see RFC 2397 */
function fromDataUrl(url: string, maxBytes: number): Uint8Array {
  const comma = url.indexOf(",");
  if (comma === -1) throw new ImageRefused("it has no comma");
  const [type = "", ...parameters] = url.slice("data:".length, comma).split(";");
  if (type === "") throw new ImageRefused("it says no type, such as image/png");
  if (!type.startsWith("image/")) {
    throw new ImageRefused(`it is no image but "${type.slice(0, 80)}"`);
  }
  if (!parameters.some((parameter) => parameter.trim().toLowerCase() === "base64")) {
    throw new ImageRefused("it is not in base64");
  }
  const text = url.slice(comma + 1).trim();
  if (text.length > Math.ceil(maxBytes / 3) * 4) {
    throw new ImageRefused(`it has ${text.length} characters, the limit is ${maxBytes} bytes`);
  }
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch {
    throw new ImageRefused("its base64 is wrong");
  }
}

async function show(
  given: Uint8Array,
  label: string,
  maxDim: number,
  { limits, state }: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const facts = readImage(given);
  const bytes = given.subarray(0, facts.length); // nobody sees what stands behind its end
  const pixels = facts.width * facts.height;
  if (pixels > limits.maxImagePixels) {
    const size = `${facts.width}×${facts.height}`;
    throw new ImageRefused(
      `it has ${size} = ${pixels} pixels, the limit is ${limits.maxImagePixels}`,
    );
  }
  if (facts.type === "image/png") await checkUnpacked(bytes, limits.maxImageBytes, signal);
  const maxEdge = Math.min(Math.max(maxDim, LEAST_EDGE), MOST_EDGE);
  const request = { bytes, facts, maxEdge, maxBytes: limits.maxShownImageBytes };
  const made = await state.resizer.resize(request, limits.imageTimeoutMs, signal);
  const shown = made ?? { bytes, type: facts.type, width: facts.width, height: facts.height };
  const notes = [
    ...(made === undefined ? [] : [changeNote(facts, made)]),
    ...(maxEdge === maxDim ? [] : [`max_dim=${maxDim} is out of bounds: ${maxEdge} was used`]),
  ].map((note) => ` (${note})`).join("");
  const size = `${shown.width}×${shown.height}, ${shown.bytes.length} bytes`;
  return {
    text: `${size}${notes} (${shown.type} from ${label})`,
    images: [{ data: shown.bytes.toBase64(), mimeType: shown.type }],
  };
}

function changeNote(
  { width, height, orientation }: ImageFacts,
  made: { readonly width: number; readonly height: number },
): string {
  const turned = orientation === 1 ? "" : ", turned as it asks for";
  const isSmaller = made.width * made.height < width * height;
  return `${isSmaller ? "resized" : "written anew"} from ${width}×${height}${turned}`;
}

function labelOf(source: string): string {
  if (source.startsWith("data:")) return "the data: URL";
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(source) ? URL.parse(source) : null;
  return `"${url === null ? source : shownAddress(url)}"`;
}
