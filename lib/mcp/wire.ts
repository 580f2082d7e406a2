import * as z from "zod";

/** What a server says of itself. A part that is not as it should be counts as not said. */
export const INITIALIZED = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({
    tools: z.looseObject({ listChanged: z.boolean().optional().catch(undefined) }).optional()
      .catch(undefined),
    experimental: z.looseObject({}).optional().catch(undefined),
  }).catch({}),
  instructions: z.string().optional().catch(undefined),
});

/** See {@linkcode INITIALIZED}. */
export type InitializeResult = z.infer<typeof INITIALIZED>;

/** A page of `tools/list`. A cursor that is none counts as nothing, tools that are no list as not there. */
export const TOOL_PAGE = z.looseObject({
  tools: z.array(z.unknown()).optional().catch(undefined),
  nextCursor: z.string().optional().catch(undefined),
});

/** A result that only has to be an object: it is read elsewhere, block by block. */
export const ANY_RESULT = z.looseObject({});

/** A server asks for the folders it should work in. */
export const ROOTS_REQUEST = z.looseObject({ method: z.literal("roots/list") });

/** The bridge to a server asks for the token of that, see `tools/bridge/tokens.ts`. */
export const TOKEN_REQUEST = z.looseObject({
  method: z.literal("skep/token"),
  params: z.unknown().optional(),
});

/** The dev server asks for the text of a file that is not saved, see `tools/dev/host_editor.ts`. */
export const UNSAVED_REQUEST = z.looseObject({
  method: z.literal("skep/unsaved"),
  params: z.unknown().optional(),
});

/** The dev server has the editor write such a file. */
export const EDITOR_WRITE_REQUEST = z.looseObject({
  method: z.literal("skep/editor_write"),
  params: z.unknown().optional(),
});

/** A server says that its tools changed. */
export const TOOLS_CHANGED = z.looseObject({
  method: z.literal("notifications/tools/list_changed"),
});

/** A server's logging message. `data` is any JSON, most often a text. */
export const LOG_MESSAGE = z.looseObject({
  method: z.literal("notifications/message"),
  params: z.looseObject({
    level: z.string().catch("info"),
    data: z.unknown().optional(),
  }).catch({ level: "info" }),
});
