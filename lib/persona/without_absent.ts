type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The object without its undefined fields, so that one laid over another hides nothing. */
export function withoutAbsent<T extends object>(value: T): Present<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== undefined),
  ) as Present<T>;
}
