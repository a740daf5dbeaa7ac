import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { InputError } from "../src/core/nouns/problem.ts";
import { proxyFor } from "../src/io/proxy.ts";
import { cli, repository } from "./support/project.ts";
import { startProxy } from "./support/proxy.ts";
import { reply, startStub } from "./support/stub-server.ts";

const variable = (target: string, env: Record<string, string>) =>
  proxyFor(new URL(target), env)?.variable ?? null;

describe("which proxy leads to a server", () => {
  const both = { HTTP_PROXY: "http://p.test:3128", HTTPS_PROXY: "http://s.test:3129" };

  test("by the server's scheme; lower case first, and empty it switches off", () => {
    expect(variable("http://model.test/v1", both)).toBe("HTTP_PROXY");
    expect(variable("https://model.test/v1", both)).toBe("HTTPS_PROXY");
    expect(variable("https://model.test/v1", { HTTP_PROXY: "http://p.test" })).toBeNull();
    expect(variable("https://model.test/v1", { ...both, https_proxy: "http://l.test" })).toBe("https_proxy");
    expect(variable("https://model.test/v1", { ...both, https_proxy: "" })).toBeNull();
    expect(variable("https://model.test/v1", {})).toBeNull();
  });

  test.each([
    ["https://model.test/v1", "*", true],
    ["https://model.test/v1", "model.test", true],
    ["https://MODEL.test/v1", "other.test, Model.Test", true],
    ["https://api.model.test/v1", "model.test", true],
    ["https://api.model.test/v1", ".model.test", true],
    ["https://api.model.test/v1", "*.model.test", true],
    ["https://mymodel.test/v1", "model.test", false],
    ["https://model.test/v1", "model.test:443", true],
    ["https://model.test:8443/v1", "model.test:443", false],
    ["https://10.1.2.3/v1", "10.0.0.0/8", true],
    ["https://11.1.2.3/v1", "10.0.0.0/8 192.168.0.0/16", false],
    ["https://10.1.2.3/v1", "10.0.0.0/99", false],
    ["https://[fd00::1]/v1", "fd00::/8", true],
    ["https://[fd00::1]/v1", "fd00::1", true],
    ["https://[fd00::1]:8080/v1", "[fd00::1]:8080", true],
    ["https://[fd00::1]:8081/v1", "[fd00::1]:8080", false],
    ["https://model.test/v1", ",, ", false],
  ])("%s with NO_PROXY=%s", (target, noProxy, direct) => {
    expect(variable(target, { ...both, NO_PROXY: noProxy })).toBe(direct ? null : "HTTPS_PROXY");
  });

  test("what listens here is not asked for through a proxy elsewhere, which could not reach it", () => {
    for (const here of ["http://127.0.0.1:8080/v1", "http://localhost:11434/v1", "http://[::1]:8080/v1"]) {
      expect(variable(here, both), here).toBeNull();
      expect(variable(here, { HTTP_PROXY: "http://localhost:3128" }), here).toBe("HTTP_PROXY");
    }
  });

  test("without a scheme it is http; a password with a bare % is meant as it stands", () => {
    const proxy = proxyFor(new URL("http://m.test"), { http_proxy: "us%40er:50%@p.test:3128" });
    expect(proxy?.origin).toBe("http://p.test:3128");
    expect(Buffer.from(proxy?.authorization?.slice(6) ?? "", "base64").toString()).toBe("us@er:50%");
  });

  test("a proxy that is none is refused by the variable's name, without its password", () => {
    for (const value of ["socks5://u:geheim12@p.test", "http://[", "http://:geheim12@"]) {
      const ask = () => proxyFor(new URL("http://m.test"), { HTTP_PROXY: value });
      expect(ask).toThrow(InputError);
      expect(ask).toThrow(/HTTP_PROXY/);
      expect(ask).not.toThrow(/geheim/);
    }
  });
});

const FILES = {
  "evalkit.yaml": "model: stub-model\ntrials: 1\nretries: 1\nreplay: off\n",
  "prompts/base.md": "Be brief.\n\n## Language\n\nEnglish.\n",
  "cases/a.yaml":
    'id: a\nturns:\n  - user: "Say hello."\nexpect:\n  completion:\n    - answer: { contains: hello }\n',
};

function run(cwd: string, baseUrl: string, env: Record<string, string>, ...more: string[]) {
  const args = ["run", "--baseline", "main", "--candidate", "main", "--aa", "--base-url", baseUrl, ...more];
  return cli(args, { cwd, env });
}

describe("the built command line behind a proxy", () => {
  test("an http server: the proxy carries each request, NO_PROXY goes past it", async () => {
    const stub = await startStub(() => reply("hello"));
    const proxy = await startProxy({ auth: "ann:geheim1234" });
    const cwd = repository(FILES);
    const named = proxy.url.replace("//", "//ann:geheim1234@");
    const through = await run(cwd, stub.url, { http_proxy: named });
    expect(through.stdout + through.stderr).not.toContain("geheim");
    expect(through.code, through.stderr).not.toBe(2);
    expect(proxy.asked).toEqual(Array(2).fill(`POST ${stub.url}/chat/completions`));
    expect(stub.requests).toHaveLength(2);
    expect(stub.requests[0]?.headers["proxy-authorization"]).toBeUndefined();
    await run(cwd, stub.url, { http_proxy: named, NO_PROXY: "127.0.0.1" });
    expect(proxy.asked).toHaveLength(2);
    expect(stub.requests).toHaveLength(4);
  });

  test.each([
    [{ auth: "a:b" }, /the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTP_PROXY\) answered 407 .*USER:PASSWORD/, 2],
    [{ status: 502 }, /answered 502: .*proxy says no \[through the proxy .*, set by HTTP_PROXY\]/, 4],
  ])("a proxy that refuses is no failure of the model: %j", async (options, words, asked) => {
    const stub = await startStub(() => reply("hello"));
    const proxy = await startProxy(options);
    const cwd = repository(FILES);
    const { code, stdout, stderr } = await run(cwd, stub.url, { HTTP_PROXY: proxy.url });
    expect(code).toBe(4);
    expect(stdout + stderr).toMatch(words);
    expect(proxy.asked).toHaveLength(asked);
    expect(stub.requests).toHaveLength(0);
  });

  test("an https server: a tunnel; a proxy that opens none is named", async () => {
    const [server, port] = await tlsStub();
    const cwd = repository(FILES);
    const env = { NODE_EXTRA_CA_CERTS: join(TLS, "cert.pem") };
    const good = await startProxy({ to: port });
    const url = "https://model.test/v1";
    const through = await run(cwd, url, { ...env, HTTPS_PROXY: good.url });
    expect(through.code, through.stderr).not.toBe(4);
    expect(good.asked.length).toBeGreaterThan(0);
    expect(new Set(good.asked)).toEqual(new Set(["CONNECT model.test:443"]));
    expect(server.count).toBe(2);
    const stranger = await run(cwd, url, { HTTPS_PROXY: good.url });
    expect(stranger.stderr).toMatch(
      /: model\.test has a certificate from no authority .*\[through the proxy/,
    );
    const other = await run(cwd, "https://other.test/v1", { ...env, HTTPS_PROXY: good.url });
    expect(other.stderr).toMatch(/: other\.test has a certificate for other hosts \(.*model\.test/);
    for (const status of [407, 403, 502]) {
      const bad = await startProxy({ status });
      const { code, stdout, stderr } = await run(cwd, url, { ...env, HTTPS_PROXY: bad.url });
      expect(code).toBe(4);
      expect(stdout + stderr).toMatch(`(HTTPS_PROXY) answered ${status} instead of leading to model.test`);
    }
    expect(server.count).toBe(2);
  });

  test("a proxy that never opens the tunnel costs the time limit, and the command ends; one that hangs up is named", async () => {
    const silent = await startProxy({ tunnel: "silent" });
    const url = "https://model.test/v1";
    const slow = await run(
      repository(FILES),
      url,
      { HTTPS_PROXY: silent.url },
      "--timeout",
      "1",
      "--retries",
      "0",
    );
    expect(slow.code).toBe(4);
    expect(slow.stderr).toMatch(/model\.test did not answer within 1 s .*through the proxy/);
    const rude = await startProxy({ tunnel: "hang-up" });
    const told = await run(repository(FILES), url, { HTTPS_PROXY: rude.url }, "--retries", "0");
    expect(told.stderr).toMatch(
      /the proxy http:.* \(HTTPS_PROXY\) hung up when it was asked for a tunnel: look at/,
    );
    expect(rude.asked.length).toBeLessThanOrEqual(4);
  });

  test("a proxy that is reached by https", async () => {
    const stub = await startStub(() => reply("hello"));
    const proxy = await startProxy({ tls: { key: pem("key.pem"), cert: pem("cert.pem") } });
    const trusted = { HTTP_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(TLS, "cert.pem") };
    await run(repository(FILES), stub.url, trusted);
    expect(stub.requests).toHaveLength(2);
    expect(proxy.asked.every((one) => one === `CONNECT ${new URL(stub.url).host}`)).toBe(true);
    const told = await run(repository(FILES), stub.url, { HTTP_PROXY: proxy.url });
    expect(told.stderr).toMatch(/or the proxy https:.* \(HTTP_PROXY\) has a certificate from no authority/);
    expect(stub.requests).toHaveLength(2);
  });

  test("doctor says which proxy leads there; nobody listening at it is told by its variable", async () => {
    const stub = await startStub(() => reply("hello"));
    const proxy = await startProxy();
    const args = ["doctor", "--base-url", stub.url, "--model", "stub-model"];
    const told = await cli(args, { cwd: repository(FILES), env: { http_proxy: proxy.url } });
    expect(told.stdout).toContain(`model stub-model, through the proxy ${proxy.url} (http_proxy)`);
    const gone = await cli(args, { cwd: repository(FILES), env: { http_proxy: "http://127.0.0.1:9" } });
    expect(gone.stdout).toMatch(
      /the proxy http:\/\/127.0.0.1:9 \(http_proxy\) refuses connections: .*NO_PROXY/,
    );
    expect(gone.code).toBe(4);
  });

  test("a time limit beyond the one of Node's fetch asks without it", async () => {
    const stub = await startStub(() => reply("hello"));
    await run(repository(FILES), stub.url, {}, "--timeout", "900");
    expect(stub.requests).toHaveLength(2);
  });
});

const TLS = join(import.meta.dirname, "fixtures/tls");
const pem = (name: string) => readFileSync(join(TLS, name));
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** A model server behind TLS, of which the proxy must see nothing. */
async function tlsStub(): Promise<[{ count: number }, number]> {
  const seen = { count: 0 };
  const server = createServer({ key: pem("key.pem"), cert: pem("cert.pem") }, (incoming, response) => {
    incoming.resume().on("end", () => {
      seen.count += 1;
      const message = { role: "assistant", content: "hello" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return [seen, typeof address === "object" && address !== null ? address.port : 0];
}
