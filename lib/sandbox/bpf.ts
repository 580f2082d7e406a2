/** One instruction of a classic BPF program, as `struct sock_filter` holds it. */
export interface Instruction {
  readonly code: number;
  /** Instructions to skip when the comparison holds, and when it does not. */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

const LOAD_WORD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const JUMP_IF_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const AND = 0x54; // BPF_ALU | BPF_AND | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

/** Loads the 32-bit word at this offset of `struct seccomp_data`. */
export function load(offset: number): Instruction {
  return { code: LOAD_WORD, jt: 0, jf: 0, k: offset };
}

/** Skips `jt` instructions when the loaded word equals `k`, else `jf`. */
export function ifEqual(k: number, jt: number, jf: number): Instruction {
  return { code: JUMP_IF_EQUAL, jt, jf, k };
}

/** Skips `jt` instructions when the loaded word is at least `k`, unsigned, else `jf`. */
export function ifAtLeast(k: number, jt: number, jf: number): Instruction {
  return { code: JUMP_IF_AT_LEAST, jt, jf, k };
}

/** Skips `jt` instructions when the loaded word has any bit of `k`, else `jf`. */
export function ifAnyBit(k: number, jt: number, jf: number): Instruction {
  return { code: JUMP_IF_ANY_BIT, jt, jf, k };
}

/** Keeps only the bits of `k` of the loaded word. */
export function and(k: number): Instruction {
  return { code: AND, jt: 0, jf: 0, k };
}

/** Ends the program with this verdict. */
export function verdict(k: number): Instruction {
  return { code: RETURN, jt: 0, jf: 0, k };
}

/**
 * The program as the kernel and `bwrap --seccomp` read it: 8 bytes an instruction, little-endian,
 * which both processors that skep knows are.
 */
export function encode(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(({ code, jt, jf, k }, index) => {
    for (const skip of [jt, jf]) {
      if (skip > 255) {
        throw new RangeError(`Cannot encode a jump over ${skip} instructions: 255 at most`);
      }
    }
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jt);
    view.setUint8(index * 8 + 3, jf);
    view.setUint32(index * 8 + 4, k, true);
  });
  return bytes;
}
