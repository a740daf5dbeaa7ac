import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import { connect, type Socket } from "node:net";
import { afterAll } from "vitest";

export interface TestProxy {
  /** Its address, without credentials. */
  readonly url: string;
  /** What was asked of it, such as `CONNECT localhost:443` and `POST http://localhost:80/v1/chat/completions`. */
  readonly asked: readonly string[];
}

export interface ProxyOptions {
  /** `user:password` that it wants; without it 407. */
  readonly auth?: string;
  /** Answers everything with this status. */
  readonly status?: number;
  /** Leads every name to this port of this machine. */
  readonly to?: number;
  /** Is itself reached by TLS. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer };
  /** What it does instead of opening a tunnel. */
  readonly tunnel?: "silent" | "hang-up";
}

const open: (() => void)[] = [];
afterAll(() => {
  for (const close of open.splice(0)) close();
});

/** Starts a real forward proxy on loopback: absolute addresses and CONNECT. It is closed when the test file is done. */
export async function startProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const refusal = (incoming: IncomingMessage): number | null => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const wanted = `Basic ${Buffer.from(options.auth ?? "").toString("base64")}`;
    if (options.auth !== undefined && incoming.headers["proxy-authorization"] !== wanted) return 407;
    return options.status ?? null;
  };
  const carry = (incoming: IncomingMessage, response: ServerResponse) =>
    forward(incoming, response, refusal(incoming));
  const server = options.tls === undefined ? createServer(carry) : createSecure(options.tls, carry);
  server.on("connection", (socket: Socket) => void sockets.add(socket.on("error", () => undefined)));
  server.on("connect", (incoming: IncomingMessage, client: Socket) => {
    const status = refusal(incoming);
    if (options.tunnel === "silent") return;
    if (options.tunnel === "hang-up") return void client.destroy();
    if (status !== null) return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const target = new URL(`http://${incoming.url}`);
    const host = options.to === undefined ? target.hostname.replace(/[[\]]/g, "") : "127.0.0.1";
    const upstream = connect({ port: options.to ?? Number(target.port), host }, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  open.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: options.tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`, asked };
}

function forward(incoming: IncomingMessage, response: ServerResponse, status: number | null): void {
  if (status !== null) {
    incoming.resume();
    return void response.writeHead(status, { "content-type": "text/html" }).end("<h1>proxy says no</h1>");
  }
  const { "proxy-authorization": _, ...headers } = incoming.headers;
  const upstream = request(incoming.url ?? "", { method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on("error", () => response.destroy());
  incoming.pipe(upstream);
}
