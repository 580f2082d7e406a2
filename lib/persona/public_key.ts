const DIGITS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const PREFIX = "npub";

/**
 * Whether a text is a person's public key: 64 digits of hex, or `npub1…` with its checksum.
 *
 * @see NIP-19, and BIP-173 for the checksum
 */
export function isPublicKey(text: string): boolean {
  if (/^[0-9a-f]{64}$/.test(text)) return true;
  const [, data] = /^npub1([02-9ac-hj-np-z]{58})$/.exec(text) ?? [];
  if (data === undefined) return false;
  const prefix = [...PREFIX].map((each) => each.charCodeAt(0));
  const values = [
    ...prefix.map((code) => code >> 5),
    0,
    ...prefix.map((code) => code & 31),
    ...[...data].map((each) => DIGITS.indexOf(each)),
  ];
  return checksum(values) === 1;
}

function checksum(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >> 25;
    sum = (sum & 0x1ffffff) << 5 ^ value;
    GENERATOR.forEach((each, bit) => {
      if ((top >> bit & 1) === 1) sum ^= each;
    });
  }
  return sum;
}
