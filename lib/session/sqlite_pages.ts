/** Kinds of pages of tables, as their first byte says. */
const INTERIOR = 0x05;
const LEAF = 0x0d;
/** In the map of pages: a page that another one of its tree leads to. */
const CHILD = 5;
const MAP_ENTRY_BYTES = 5;
const INTERIOR_HEADER_BYTES = 12;
/** Where locks are taken, in a page that holds nothing. */
const LOCK_BYTE = 0x4000_0000;

/** A page that leads to others: which, and the highest row below each. */
interface Child {
  readonly page: number;
  readonly highest: bigint;
}

/**
 * Makes the pages of tables again that lead to other pages and are damaged: each page's place in its tree
 * stands in a map of its own, as `auto_vacuum` needs it. Changes `bytes`, a whole database file.
 *
 * @returns how many there were.
 * @see https://www.sqlite.org/fileformat.html#pointer_map_or_ptrmap_pages
 */
export function mendInteriorPages(bytes: Uint8Array): number {
  const file = new DatabaseFile(bytes);
  if (!file.hasMap) return 0;
  const children = new Map<number, number[]>();
  for (let page = 3; page <= file.pages; page++) {
    const parent = file.parentOf(page);
    if (parent === undefined || parent < 3 || parent > file.pages) continue;
    children.set(parent, [...children.get(parent) ?? [], page]);
  }
  let mended = 0;
  const mend = (parent: number, depth: number): void => {
    const pages = children.get(parent) ?? [];
    children.delete(parent); // each once, whatever leads to it
    if (depth < MAX_DEPTH) { for (const page of pages) mend(page, depth + 1); } // what is below comes first
    if (file.isSound(parent, pages)) return;
    const found = pages.flatMap((page): Child[] => {
      const highest = file.highestRow(page);
      return highest === undefined ? [] : [{ page, highest }];
    });
    if (found.length > 0 && file.writeInterior(parent, found)) mended++;
  };
  for (const parent of [...children.keys()]) {
    if (children.has(parent)) mend(parent, 0);
  }
  return mended;
}

/** More levels than a tree has. */
const MAX_DEPTH = 20;

class DatabaseFile {
  readonly pages: number;
  readonly hasMap: boolean;
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #pageBytes: number;
  /** Of a page, what is used. */
  readonly #usable: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const said = bytes.length < 100 ? 0 : this.#view.getUint16(16);
    this.#pageBytes = said === 1 ? 65_536 : said;
    const isFit = this.#pageBytes >= 512 && Number.isInteger(Math.log2(this.#pageBytes));
    this.pages = isFit ? Math.floor(bytes.length / this.#pageBytes) : 0;
    this.hasMap = isFit && this.#view.getUint32(52) !== 0;
    this.#usable = this.#pageBytes - (isFit ? bytes[20]! : 0);
  }

  /** The page that leads to a page of a tree; undefined for a root, and for what is in no tree. */
  parentOf(page: number): number | undefined {
    const entries = Math.floor(this.#usable / MAP_ENTRY_BYTES);
    const lockPage = Math.floor(LOCK_BYTE / this.#pageBytes) + 1;
    let map = Math.floor((page - 2) / (entries + 1)) * (entries + 1) + 2;
    if (map === lockPage) map++;
    if (page <= map || page === lockPage) return undefined;
    const at = this.#start(map) + MAP_ENTRY_BYTES * (page - map - 1);
    return this.#bytes[at] === CHILD ? this.#view.getUint32(at + 1) : undefined;
  }

  /** Whether a page that should lead to these is sound, or none of a table's, which is not looked at. */
  isSound(page: number, children: readonly number[]): boolean {
    if (children.length === 0) return true;
    const isOfTable = children.some((child) => [INTERIOR, LEAF].includes(this.#kind(child)));
    if (!isOfTable) return true;
    if (this.#kind(page) !== INTERIOR) return false;
    const found = this.#children(page);
    return found?.every((child) => child >= 3 && child <= this.pages) === true &&
      new Set(found).size === found.length;
  }

  /** The highest row of a tree of a table; undefined when it cannot be read. */
  highestRow(page: number, depth = 0): bigint | undefined {
    const start = this.#start(page);
    const cells = this.#view.getUint16(start + 3);
    if (this.#kind(page) === INTERIOR) {
      const right = this.#view.getUint32(start + 8);
      const isFit = right >= 3 && right <= this.pages && depth < MAX_DEPTH;
      return isFit ? this.highestRow(right, depth + 1) : undefined;
    }
    if (this.#kind(page) !== LEAF || cells === 0 || 8 + 2 * cells > this.#usable) return undefined;
    const cell = this.#view.getUint16(start + 8 + 2 * (cells - 1));
    if (cell < 8 + 2 * cells || cell > this.#usable - 2) return undefined;
    const [, after] = this.#varint(start + cell); // the length of the row
    return this.#varint(after)[0];
  }

  /** Writes a page that leads to these. False: they have no room in it. */
  writeInterior(page: number, given: readonly Child[]): boolean {
    const children = given.toSorted((a, b) => a.highest < b.highest ? -1 : 1);
    const right = children.at(-1)!;
    const cells = children.slice(0, -1).map(({ page, highest }) => cell(page, highest));
    const bytes = cells.reduce((sum, { length }) => sum + length + 2, INTERIOR_HEADER_BYTES);
    if (bytes > this.#usable) return false;
    const start = this.#start(page);
    this.#bytes.fill(0, start, start + this.#pageBytes);
    let content = this.#usable;
    cells.forEach((each, index) => {
      content -= each.length;
      this.#bytes.set(each, start + content);
      this.#view.setUint16(start + INTERIOR_HEADER_BYTES + 2 * index, content);
    });
    this.#bytes[start] = INTERIOR;
    this.#view.setUint16(start + 3, cells.length);
    this.#view.setUint16(start + 5, content);
    this.#view.setUint32(start + 8, right.page);
    return true;
  }

  #children(page: number): number[] | undefined {
    const start = this.#start(page);
    const cells = this.#view.getUint16(start + 3);
    if (INTERIOR_HEADER_BYTES + 2 * cells > this.#usable) return undefined;
    const found = [this.#view.getUint32(start + 8)];
    for (let index = 0; index < cells; index++) {
      const cell = this.#view.getUint16(start + INTERIOR_HEADER_BYTES + 2 * index);
      if (cell > this.#usable - 4) return undefined;
      found.push(this.#view.getUint32(start + cell));
    }
    return found;
  }

  #kind(page: number): number {
    return this.#bytes[this.#start(page)] ?? 0;
  }

  #start(page: number): number {
    return (page - 1) * this.#pageBytes;
  }

  /** A number of up to nine bytes, and where the next thing starts. */
  #varint(start: number): [bigint, number] {
    let value = 0n;
    for (let index = 0; index < 8; index++) {
      const byte = this.#bytes[start + index] ?? 0;
      value = value << 7n | BigInt(byte & 0x7f);
      if (byte < 0x80) return [value, start + index + 1];
    }
    return [value << 8n | BigInt(this.#bytes[start + 8] ?? 0), start + 9];
  }
}

/** One entry of a page that leads to others: the page, and the highest row below it, of at most 56 bits. */
function cell(page: number, highest: bigint): Uint8Array {
  const digits = [Number(highest & 0x7fn)];
  for (let rest = highest >> 7n; rest > 0n; rest >>= 7n) {
    digits.unshift(Number(rest & 0x7fn) | 0x80);
  }
  const bytes = new Uint8Array(4 + digits.length);
  new DataView(bytes.buffer).setUint32(0, page);
  bytes.set(digits, 4);
  return bytes;
}
