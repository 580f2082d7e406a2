import type { ImageFacts } from "./read_image.ts";

/** What is to be made of an image. */
export interface ResizeRequest {
  readonly bytes: Uint8Array;
  readonly facts: ImageFacts;
  /** Most pixels of the longer edge, and most bytes. */
  readonly maxEdge: number;
  readonly maxBytes: number;
}

/** What was made of it: undefined when the image can be shown as it is. */
export interface Resized {
  readonly image: {
    readonly bytes: Uint8Array;
    readonly type: string;
    readonly width: number;
    readonly height: number;
  } | undefined;
}

/** What a worker is started with: the code of photon and its wasm, as they are in its package. */
export interface ResizerParts {
  readonly glue: string;
  readonly wasm: Uint8Array;
}

/**
 * The whole of a worker's code: it is sent there as text, so it uses nothing from outside of itself. The
 * first message holds {@linkcode ResizerParts}, each further one a {@linkcode ResizeRequest}, which is
 * answered with {@linkcode Resized} or a text that says why not.
 */
export function resizeInWorker(): void {
  /** The part of photon that is used here. */
  interface Photon {
    PhotonImage: {
      new (pixels: Uint8Array, width: number, height: number): PhotonImage;
      new_from_byteslice(bytes: Uint8Array): PhotonImage;
    };
    resize(image: PhotonImage, width: number, height: number, filter: number): PhotonImage;
  }
  interface PhotonImage {
    get_width(): number;
    get_height(): number;
    get_raw_pixels(): Uint8Array;
    get_bytes(): Uint8Array;
    get_bytes_jpeg(quality: number): Uint8Array;
    free(): void;
  }
  const LANCZOS3 = 5;
  const JPEG_QUALITY = 85;
  const SECOND_TRY = 0.75;
  const LEAST_EDGE = 64;
  let photon: Photon;

  /** The package's own code, which looks for its wasm in a file: it is given the bytes instead. */
  function load({ glue, wasm }: ResizerParts): Photon {
    const module = { exports: {} };
    const require = (name: string) => ({
      path: { join: () => "" },
      fs: { readFileSync: () => wasm },
      util: { TextDecoder, TextEncoder },
    }[name]);
    new Function("module", "exports", "require", "__dirname", glue)(
      module,
      module.exports,
      require,
      "",
    );
    return module.exports as Photon;
  }

  function resize(request: ResizeRequest): Resized {
    // Unpacked even when it is shown as it is: what cannot be unpacked here, no model can see.
    const decoded = photon.PhotonImage.new_from_byteslice(request.bytes);
    const resized = resizeDecoded(decoded, request);
    decoded.free(); // not after an error: this worker is ended then
    return resized;
  }

  function resizeDecoded(
    decoded: PhotonImage,
    { bytes, facts, maxEdge, maxBytes }: ResizeRequest,
  ): Resized {
    const [width, height] = [decoded.get_width(), decoded.get_height()];
    if (width !== facts.width || height !== facts.height) {
      throw new Error("it is damaged: its size is not what it says");
    }
    const longest = Math.max(width, height);
    const isTurned = facts.orientation !== 1;
    // What photon makes of a damaged WebP is shown and not the WebP itself: others would refuse it.
    const isStrict = facts.type !== "image/webp";
    if (longest <= maxEdge && bytes.length <= maxBytes && !isTurned && isStrict) {
      return { image: undefined };
    }
    let smallest = 0;
    for (const share of [1, SECOND_TRY]) {
      const edge = Math.max(Math.min(longest, Math.floor(maxEdge * share)), LEAST_EDGE);
      const scale = Math.min(1, edge / longest);
      const [toWidth, toHeight] = [width, height].map((side) =>
        Math.max(1, Math.floor(side * scale))
      );
      const scaled = scale === 1 ? decoded : photon.resize(decoded, toWidth!, toHeight!, LANCZOS3);
      const turned = isTurned ? turn(scaled, facts.orientation) : scaled;
      const size = { width: turned.get_width(), height: turned.get_height() };
      const made = encode(turned, facts.type, maxBytes);
      if (turned !== scaled) turned.free();
      if (scaled !== decoded) scaled.free();
      if (made.bytes.length <= maxBytes) return { image: { ...made, ...size } };
      smallest = made.bytes.length;
    }
    throw new Error(`it has ${smallest} bytes when made smaller, the limit is ${maxBytes}`);
  }

  /** As PNG where that fits or something is transparent, else as JPEG, as a photograph is anyway. */
  function encode(
    image: PhotonImage,
    from: string,
    maxBytes: number,
  ): { readonly bytes: Uint8Array; readonly type: string } {
    const isOpaque = image.get_raw_pixels().every((value, at) => at % 4 !== 3 || value === 255);
    const png = isOpaque && from === "image/jpeg" ? undefined : image.get_bytes();
    if (png !== undefined && (png.length <= maxBytes || !isOpaque)) {
      return { bytes: png, type: "image/png" };
    }
    return { bytes: image.get_bytes_jpeg(JPEG_QUALITY), type: "image/jpeg" };
  }

  /** An image turned and mirrored as its EXIF data asks. */
  function turn(image: PhotonImage, orientation: number): PhotonImage {
    const [width, height] = [image.get_width(), image.get_height()];
    const from = new Uint32Array(new Uint8Array(image.get_raw_pixels()).buffer);
    const to = new Uint32Array(from.length);
    const isSwapped = orientation >= 5;
    const toWidth = isSwapped ? height : width;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [right, bottom] = [width - 1 - x, height - 1 - y];
        const [toX, toY] = [
          [x, y],
          [right, y],
          [right, bottom],
          [x, bottom],
          [y, x],
          [bottom, x],
          [bottom, right],
          [y, right],
        ][orientation - 1]!;
        to[toY! * toWidth + toX!] = from[y * width + x]!;
      }
    }
    const pixels = new Uint8Array(to.buffer);
    return new photon.PhotonImage(pixels, toWidth, isSwapped ? width : height);
  }

  const scope = globalThis as unknown as {
    onmessage: (event: MessageEvent<ResizerParts | ResizeRequest>) => void;
    postMessage(message: Resized | string): void;
  };
  scope.onmessage = ({ data }) => {
    try {
      if ("glue" in data) photon = load(data);
      else scope.postMessage(resize(data));
    } catch (error) {
      scope.postMessage(error instanceof Error ? error.message : String(error));
    }
  };
}
