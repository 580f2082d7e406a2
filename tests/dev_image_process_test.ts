// The dev server's view_image as a host sees it: real images, made here, under exact flags.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { crc32, deflateSync } from "node:zlib";
import { DevServer, type WireResult } from "./dev_server.ts";
import { startSkep, tempFolder } from "./harness.ts";

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A PNG of RGBA, its pixels by place; `more` goes between header and pixels. */
function png(
  width: number,
  height: number,
  pixel: (x: number, y: number) => readonly number[],
  ...more: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 6], 8);
  const rows = new Uint8Array((width * 4 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (width * 4 + 1) + 1 + x * 4);
  }
  const magic = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = chunk("IDAT", new Uint8Array(deflateSync(rows, { level: 1 })));
  return joined(magic, chunk("IHDR", header), ...more, pixels, chunk("IEND", new Uint8Array()));
}

const red = () => [255, 0, 0, 255];
const noise = () => [...crypto.getRandomValues(new Uint8Array(3)), 255];

/** The data of EXIF that says how an image wants to be turned. */
function exif(orientation: number): Uint8Array {
  return new Uint8Array([
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  ]);
}

function imageIn(result: WireResult): Uint8Array<ArrayBuffer> {
  assertEquals(result.isError, false, result.content[0]?.text);
  return Uint8Array.fromBase64(result.content[1]!.data!);
}

Deno.test("view_image shows a small image byte for byte, told by its bytes", async () => {
  await using folder = await tempFolder();
  const bytes = png(3, 2, red);
  await Deno.writeFile(`${folder.path}/a.jpg`, bytes);
  await using server = new DevServer(folder.path);
  const shown = await server.request("tools/call", {
    name: "view_image",
    arguments: { source: " a.jpg " },
  });
  assertEquals(shown.result, {
    content: [
      { type: "text", text: `3×2, ${bytes.length} bytes (image/png from ${folder.path}/a.jpg)` },
      { type: "image", data: bytes.toBase64(), mimeType: "image/png" },
    ],
    isError: false,
  });
  const source = `data:image/x;BASE64,${bytes.toBase64()}`;
  const result = await server.call("view_image", { source });
  assertEquals(imageIn(result), bytes);
  assertMatch(result.content[0]!.text, /\(image\/png from data: URL\)$/);
});

Deno.test("view_image makes a large image smaller, and keeps what is transparent", async () => {
  await using folder = await tempFolder();
  await Deno.writeFile(
    `${folder.path}/a.png`,
    png(2000, 1000, (x) => x < 1000 ? [0, 0, 255, 0] : [0, 255, 0, 255]),
  );
  await using server = new DevServer(folder.path);
  const result = await server.call("view_image", { source: "a.png", max_dim: 512 });
  assertMatch(
    result.content[0]!.text,
    /^512×256, \d+ bytes \(resized from 2000×1000\) \(image\/png/,
  );
  assertEquals(result.content[1]!.mimeType, "image/png");
  const bounded = await server.text("view_image", { source: "a.png", max_dim: 1 });
  assertMatch(bounded, /^64×32, .*\(max_dim=1 is out of bounds: 64 was used\)/);
});

Deno.test("view_image writes what is opaque and too long as JPEG, and shows that too", async () => {
  await using folder = await tempFolder();
  await Deno.writeFile(`${folder.path}/noise.png`, png(1100, 1100, noise));
  await using server = new DevServer(folder.path);
  const view = (source: string, more = {}) => server.call("view_image", { source, ...more });
  const result = await view("noise.png");
  assertMatch(
    result.content[0]!.text,
    /^1100×1100, \d+ bytes \(written anew from 1100×1100\) \(image\/jpeg/,
  );
  const jpeg = imageIn(result);
  assert(jpeg.length <= 3 * 1024 * 1024);
  await Deno.writeFile(`${folder.path}/a.jpeg`, jpeg);
  assertEquals(imageIn(await view("a.jpeg")), jpeg);
  const smaller = await view("a.jpeg", { max_dim: 300 });
  assertEquals([smaller.content[1]!.mimeType, imageIn(smaller)[0]], ["image/jpeg", 0xff]);

  // A camera's JPEG that lies on its side.
  const app1 = joined(
    new Uint8Array([0xff, 0xe1, 0, 34]),
    new TextEncoder().encode("Exif\0\0"),
    exif(6),
  );
  await Deno.writeFile(
    `${folder.path}/side.jpeg`,
    joined(imageIn(smaller).subarray(0, 2), app1, imageIn(smaller).subarray(2)),
  );
  assertMatch(
    (await view("side.jpeg")).content[0]!.text,
    /^300×300, \d+ bytes \(written anew from 300×300, turned as it asks for\) \(image\/jpeg/,
  );

  await Deno.writeFile(`${folder.path}/cut.jpeg`, jpeg.subarray(0, jpeg.length >> 1));
  assertEquals(
    (await view("cut.jpeg")).content[0]!.text,
    'Cannot show "cut.jpeg": it is cut off: its end is missing',
  );
});

Deno.test("view_image turns an image as its EXIF data asks", async () => {
  await using folder = await tempFolder();
  await using server = new DevServer(folder.path);
  const show = async (orientation: number) => {
    const dots = (x: number, y: number) => x === 0 && y === 0 ? [255, 0, 0, 255] : [0, 0, 0, 0];
    await Deno.writeFile(`${folder.path}/a.png`, png(3, 2, dots, chunk("eXIf", exif(orientation))));
    const result = await server.call("view_image", { source: "a.png" });
    return result.content[0]!.text.split(",")[0];
  };
  const sizes = [];
  for (let orientation = 1; orientation <= 8; orientation++) sizes.push(await show(orientation));
  assertEquals(sizes, ["3×2", "3×2", "3×2", "3×2", "2×3", "2×3", "2×3", "2×3"]);
});

Deno.test("view_image refuses what is no image, moves, or is damaged", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  const good = png(3, 2, red);
  const damaged = good.slice();
  damaged[45]! ^= 1;
  const bomb = png(1, 1, red);
  new DataView(bomb.buffer).setUint32(16, 9000);
  new DataView(bomb.buffer).setUint32(20, 9000);
  new DataView(bomb.buffer).setUint32(29, crc32(bomb.subarray(12, 29)));
  const liar = png(1, 1, red);
  new DataView(liar.buffer).setUint32(16, 4000);
  new DataView(liar.buffer).setUint32(29, crc32(liar.subarray(12, 29)));
  const gif = (pictures: number) =>
    joined(
      new TextEncoder().encode("GIF89a"),
      new Uint8Array([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
      ...Array(pictures).fill(
        new Uint8Array([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]),
      ),
      new Uint8Array([0x3b]),
    );
  const webp = (flags: number) =>
    joined(
      new TextEncoder().encode("RIFF"),
      new Uint8Array([22, 0, 0, 0]),
      new TextEncoder().encode("WEBPVP8X"),
      new Uint8Array([10, 0, 0, 0, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    );
  const jpeg = (width: number, height: number) =>
    new Uint8Array([
      ...[0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255],
      ...[1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xff, 0xd9],
    ]);
  const files: Record<string, [Uint8Array, RegExp]> = {
    "empty": [new Uint8Array(), /it is empty$/],
    "bmp": [
      new TextEncoder().encode("BM6..."),
      /no image that is known here \(png, jpeg, gif, webp\)$/,
    ],
    "damaged.png": [damaged, /its chunk IDAT has a wrong checksum$/],
    "cut.png": [good.subarray(0, good.length - 9), /it is cut off or damaged$/],
    "bomb.png": [bomb, /it has 9000×9000 = 81000000 pixels, the limit is 50000000$/],
    "liar.png": [liar, /^Cannot show "liar.png": it /],
    "apng": [png(3, 2, red, chunk("acTL", new Uint8Array(8))), /animated images are not shown/],
    "moving.gif": [gif(2), /animated images are not shown/],
    "moving.webp": [webp(2), /animated images are not shown/],
    "cut.gif": [gif(1).subarray(0, 20), /cut off or damaged$/],
    "broken.webp": [webp(0), /it has no pixels$/],
    "liar.jpg": [
      jpeg(8000, 8000),
      /it is damaged: \d+ bytes cannot hold the 8000×8000 pixels it says$/,
    ],
  };
  await using server = new DevServer(path);
  for (const [name, [bytes, message]] of Object.entries(files)) {
    await Deno.writeFile(`${path}/${name}`, bytes);
    const { isError, content } = await server.call("view_image", { source: name });
    assertEquals([name, isError], [name, true]);
    assertMatch(content[0]!.text, message);
  }
  await Deno.writeFile(`${path}/still.gif`, gif(1));
  // The worker that failed above was replaced.
  assertEquals(imageIn(await server.call("view_image", { source: "still.gif" })), gif(1));
});

/** A PNG whose pixels are one chunk of that many bytes, packed, all of them zero. */
async function bombOf(mebibytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const zeros = new Uint8Array(1024 * 1024);
  const packed = ReadableStream.from(Array(mebibytes).fill(zeros) as Uint8Array<ArrayBuffer>[])
    .pipeThrough(new CompressionStream("deflate"));
  const pixels = new Uint8Array(await new Response(packed).arrayBuffer());
  const whole = png(100, 100, red);
  const end = chunk("IEND", new Uint8Array());
  return joined(whole.subarray(0, 33), chunk("IDAT", pixels), end);
}

Deno.test("a PNG that unpacks to 800 MB ended the server, and so did a few large images", async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  await Deno.writeFile(`${path}/bomb.png`, await bombOf(800));
  const large = png(1, 1, red);
  const size = 6000;
  const header = new DataView(large.buffer);
  header.setUint32(16, size);
  header.setUint32(20, size);
  header.setUint32(29, crc32(large.subarray(12, 29)));
  const rows = new Uint8Array(deflateSync(new Uint8Array((size * 4 + 1) * size), { level: 1 }));
  const end = chunk("IEND", new Uint8Array());
  await Deno.writeFile(
    `${path}/large.png`,
    joined(large.subarray(0, 33), chunk("IDAT", rows), end),
  );
  await using session = await startSkep(["mcp", "dev", "--cwd", path], {});
  const view = async (id: number, source: string): Promise<WireResult> => {
    const params = { name: "view_image", arguments: { source } };
    await session.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`,
    );
    const answer = () =>
      session.stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line))
        .find((message) => message.id === id);
    await session.until(() => answer() !== undefined);
    return answer().result;
  };
  const bomb = await view(1, "bomb.png");
  assertMatch(bomb.content[0]!.text, /unpacks to more than 40100 bytes$/);
  for (const id of [2, 3, 4, 5]) {
    assertMatch((await view(id, "large.png")).content[0]!.text, /resized from 6000×6000/);
  }
  await session.closeStdin();
  await session.ended;
});

Deno.test("view_image refuses sources that it does not take, and shows no secret of an address", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/dir`);
  await using server = new DevServer(folder.path, [
    "--allow-net=localhost:1,public.test",
  ]);
  const refusal = async (source: string) => {
    const { isError, content } = await server.call("view_image", { source });
    assertEquals([source, isError], [source, true]);
    return content[0]!.text;
  };
  const data = "Cannot show the data: URL: ";
  assertEquals(await refusal("data:image/png;base64"), `${data}it has no comma`);
  assertEquals(await refusal("data:image/png,AA"), `${data}it is not in base64`);
  assertEquals(
    await refusal("data:text/plain;base64,AA"),
    `${data}it is no image but "text/plain"`,
  );
  assertEquals(await refusal("data:;base64,"), `${data}it says no type, such as image/png`);
  assertEquals(await refusal("data:image/png;base64,A"), `${data}its base64 is wrong`);
  assertMatch(await refusal("ftp://a/b"), /ftp:\/\/ is not fetched, only https:\/\/$/);
  assertMatch(await refusal("http://a/b"), /http:\/\/ is not fetched, only https:\/\/$/);
  assertMatch(await refusal("dir"), /it is a folder, not a regular file$/);
  assertMatch(await refusal("nope.png"), /no such file or folder/);
  assertEquals(
    await refusal("https://other.test/a?token=secret"),
    'Access denied: this server\'s grant has no net access to "other.test:443"',
  );
  assertMatch(
    await refusal("https://localhost:1/a?token=secret"),
    /^Cannot show "https:\/\/localhost:1\/a\?…": localhost:1 is not public \(127\.0\.0\.1\)/,
  );
});
