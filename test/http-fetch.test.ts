import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { httpFetch } from "../src/io/http-fetch.ts";
import { serverFetch } from "../src/io/server-fetch.ts";
import { boundedText } from "../src/io/http-body.ts";

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
async function serve(listener: RequestListener): Promise<string> {
  const opened = createServer(listener);
  server = opened;
  await new Promise<void>((done) => opened.listen(0, "127.0.0.1", done));
  const { port } = opened.address() as AddressInfo;
  return `http://127.0.0.1:${port}/v1`;
}

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)(
  "a server that compresses unasked (%s), with and without a length",
  async (encoding, compress) => {
    const body = compress(Buffer.from("naïve ".repeat(1000)));
    const asked: unknown[] = [];
    const url = await serve((request, response) => {
      asked.push(request.headers["accept-encoding"]);
      const length = request.url === "/v1" ? { "content-length": body.length } : {};
      response.writeHead(200, { "content-encoding": encoding, ...length }).end(body);
    });
    for (const path of ["", "/chunked"]) {
      expect(await boundedText(await httpFetch(url + path), 1e6)).toBe("naïve ".repeat(1000));
    }
    expect(asked).toEqual(["identity", "identity"]);
  },
);

test("a compressed body that grows beyond the limit is not read to its end", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const url = await serve((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-length": bomb.length }).end(bomb);
  });
  await expect(boundedText(await httpFetch(url), 1_000_000)).rejects.toThrow("more than 1000000 bytes");
});

test("a body that breaks off rejects, read as text or as a stream, compressed or not", async () => {
  const whole = gzipSync(Buffer.from("x".repeat(100_000)));
  const url = await serve((request, response) => {
    const zipped = request.url?.includes("gzip") === true;
    const length = request.url?.includes("long") === true ? { "content-length": 200_000 } : {};
    response.writeHead(200, { ...length, ...(zipped ? { "content-encoding": "gzip" } : {}) });
    response.write(whole.subarray(0, 50));
    setTimeout(() => response.destroy(), 20);
  });
  for (const path of ["/long", "/chunked", "/gzip", "/gzip-long"]) {
    await expect(boundedText(await httpFetch(url + path), 1e6), path).rejects.toThrow("terminated");
  }
});

test("a redirect is handed back, and the signal's reason is what the call rejects with", async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    seen.push(request.url);
    if (request.url === "/v1") response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const moved = await httpFetch(url);
  expect([moved.status, moved.headers.get("location")]).toEqual([307, "/elsewhere"]);
  await expect(httpFetch(`${url}/silent`, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
    name: "TimeoutError",
  });
  await expect(httpFetch(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  expect(seen).toEqual(["/v1", "/v1/silent"]);
});

test("no header or status that Node lets through ends the process", async () => {
  const raw = [
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "SSH-2.0-OpenSSH_9.6\r\n",
    "HTTP/1.1 999 odd\r\ncontent-length: 2\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nx-a: \u00e9\u00ff\r\ncontent-length: 2\r\n\r\n{}",
  ];
  const { createServer: createTcp } = await import("node:net");
  const tcp = createTcp((socket) => {
    socket.once("data", () => socket.end(raw.shift() ?? "", "latin1"));
  });
  await new Promise<void>((done) => tcp.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/v1`;
  await expect(httpFetch(url)).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect(httpFetch(url)).rejects.toMatchObject({ code: "HPE_INVALID_CONSTANT" });
  await expect(httpFetch(url)).rejects.toThrow("status 999");
  expect(await (await httpFetch(url)).text()).toBe("{}");
  tcp.close();
});

test.each(["closed", "reset"])(
  "a kept connection that was %s meanwhile: the request is sent once more at once",
  async (how) => {
    let asked = 0;
    let closed = 0;
    const used = new WeakSet<object>();
    const url = await serve((request, response) => {
      asked += 1;
      // One connection is closed just when it is used again.
      if (closed === 0 && used.has(request.socket)) {
        closed += 1;
        return void (how === "reset" ? request.socket.resetAndDestroy() : request.socket.destroy());
      }
      used.add(request.socket);
      request.resume();
      response.end("{}");
    });
    const proxy = { variable: "http_proxy", origin: new URL(url).origin, authorization: null };
    for (const ask of [httpFetch, await serverFetch(proxy)]) {
      const post = async () => (await ask(url, { method: "POST", body: "{}" })).text();
      asked = 0;
      closed = 0;
      for (let n = 0; n < 4; n += 1) expect(await post()).toBe("{}");
      expect([asked, closed]).toEqual([5, 1]);
    }
  },
);

test("a new connection that is closed without an answer is not tried again here", async () => {
  let count = 0;
  const url = await serve((request) => {
    count += 1;
    request.socket.destroy();
  });
  await expect(httpFetch(url)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(count).toBe(1);
});

test("a server that dies with its connections open and comes back at its port", async () => {
  const url = await serve((_, response) => response.end("{}"));
  const all = () => Promise.all(Array.from({ length: 8 }, async () => (await httpFetch(url)).text()));
  await all();
  server?.closeAllConnections();
  await new Promise((closed) => server?.close(closed));
  const again = createServer((_, response) => response.end("[]"));
  server = again;
  await new Promise<void>((done) => again.listen(Number(new URL(url).port), "127.0.0.1", done));
  expect(await all()).toEqual(Array(8).fill("[]"));
});

test("an IPv6 address; replies of status 1xx before the reply; more bytes than were told", async () => {
  const { createServer: createTcp } = await import("node:net");
  const tcp = createTcp((socket) => {
    const early = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    socket.once("data", () => socket.write(`${early}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}more`));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((done) => tcp.listen(0, "::1", done));
  const url = `http://[::1]:${(tcp.address() as AddressInfo).port}/v1`;
  for (let n = 0; n < 3; n += 1) expect(await (await httpFetch(url)).text()).toBe("{}");
  tcp.close();
});
