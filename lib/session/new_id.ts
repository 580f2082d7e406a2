/** A new id: of a session, or of a turn. */
export function newId(kind: "ses" | "run"): string {
  return `${kind}_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
}
