/** Networks of IPv4 that are not the public internet: first address and length of the prefix. */
const INNER_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/**
 * Tells whether an address is one of the public internet: not this machine, its networks, or one set
 * aside. What cannot be read is not.
 *
 * @see IANA's registries of special-purpose addresses
 */
export function isPublicAddress(address: string): boolean {
  if (!address.includes(":")) return isPublicV4(address);
  const words = wordsOf(address);
  if (words === undefined) return false;
  const [first = 0] = words;
  const isMapped = words.slice(0, 5).every((word) => word === 0) && [0, 0xffff].includes(words[5]!);
  const isTranslated = first === 0x64 && words[1] === 0xff9b;
  if (isMapped || isTranslated) return isPublicV4(v4Of(words.slice(6)));
  if (first === 0x2002) return isPublicV4(v4Of(words.slice(1, 3)));
  return (first & 0xe000) === 0x2000 && !(first === 0x2001 && words[1] === 0xdb8);
}

function isPublicV4(address: string): boolean {
  const number = numberOf(address);
  if (number === undefined) return false;
  return !INNER_V4.some(([network, prefix]) => {
    const size = 2 ** (32 - prefix);
    return Math.floor(number / size) === Math.floor(numberOf(network)! / size);
  });
}

function numberOf(address: string): number | undefined {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

function wordsOf(address: string): number[] | undefined {
  const [, start = address, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const number = dotted === undefined ? undefined : numberOf(dotted);
  if (dotted !== undefined && number === undefined) return undefined;
  const tail = number === undefined
    ? ""
    : `${Math.floor(number / 65536).toString(16)}:${(number % 65536).toString(16)}`;
  const [left = "", right, ...rest] = `${start}${tail}`.split("::");
  if (rest.length > 0) return undefined;
  const words = (text: string) => text === "" ? [] : text.split(":");
  const [before, after] = [words(left), words(right ?? "")];
  const missing = 8 - before.length - after.length;
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array(Math.max(0, missing)).fill("0"), ...after];
  if (!all.every((word) => /^[\da-f]{1,4}$/i.test(word))) return undefined;
  return all.map((word) => parseInt(word, 16));
}

function v4Of([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
