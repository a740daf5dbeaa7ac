import { readFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { tlsWords } from "../src/io/tls-words.ts";
import { cli, repository } from "./support/project.ts";

const TLS = join(import.meta.dirname, "fixtures/tls");
const pem = (name: string) => readFileSync(join(TLS, name));
const PROJECT = {
  "evalkit.yaml": "model: m\nreplay: off\nretries: 4\n",
  "prompts/base.md": "Be brief.\n\n## Language\n\nEnglish.\n",
  "cases/a.yaml":
    "turns: [{ user: Say hello. }]\nexpect: { completion: [{ answer: { contains: hello } }] }\n",
};
const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  opened.push(server);
  await new Promise<void>((ready) => server.listen(0, "0.0.0.0", ready));
  return (server.address() as AddressInfo).port;
}

/** A server with such a certificate; how often a handshake was begun with it. */
async function served(cert: string): Promise<{ port: number; begun: () => number }> {
  let begun = 0;
  const server = createServer({ key: pem("key.pem"), cert: pem(cert) }, (_, response) => response.end("{}"));
  server.on("connection", () => {
    begun += 1;
  });
  return { port: await listen(server), begun: () => begun };
}

async function run(url: string, env: Record<string, string> = {}) {
  const args = [
    "run",
    "--baseline",
    "main",
    "--candidate",
    "main",
    "--aa",
    "--trials",
    "1",
    "--base-url",
    url,
  ];
  return cli(args, { cwd: repository(PROJECT), env });
}

test.each<[string, string, string, Record<string, string>, RegExp]>([
  [
    "no known authority",
    "cert.pem",
    "localhost",
    {},
    /localhost:\d+ has a certificate from no authority .*NODE_EXTRA_CA_CERTS/,
  ],
  [
    "another host",
    "cert.pem",
    "127.0.0.2",
    { NODE_EXTRA_CA_CERTS: join(TLS, "cert.pem") },
    /127\.0\.0\.2:\d+ has a certificate for other hosts \(.*127\.0\.0\.1, ::1\)/,
  ],
  [
    "expired",
    "expired.pem",
    "localhost",
    { NODE_EXTRA_CA_CERTS: join(TLS, "expired.pem") },
    /localhost:\d+ has a certificate that has expired/,
  ],
])("a certificate of %s is told as that and not asked for again", async (_, cert, host, env, words) => {
  const { port, begun } = await served(cert);
  const { code, stderr } = await run(`https://${host}:${port}/v1`, env);
  expect(stderr).toMatch(words);
  expect(stderr).toContain("2 trials broken (tls)");
  expect(code).toBe(4);
  expect(begun()).toBe(2);
});

test("https where http is spoken", async () => {
  const port = await listen(createHttp((_, response) => response.end("{}")));
  const { code, stderr } = await run(`https://127.0.0.1:${port}/v1`);
  expect(stderr).toMatch(/does not answer in TLS: should its address begin with http:\/\//);
  expect(code).toBe(4);
});

test("every code of a certificate has words, others have none", () => {
  for (const code of [
    "CERT_NOT_YET_VALID",
    "CERT_REVOKED",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "INVALID_PURPOSE",
  ])
    expect(tlsWords(code, "")).toMatch(/certificate/);
  expect(tlsWords("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "")).toMatch(/version of TLS/);
  for (const code of ["ECONNRESET", "EPROTO", "ETIMEDOUT", ""]) expect(tlsWords(code, "odd")).toBeNull();
});
