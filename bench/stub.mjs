// A stub of an OpenAI-compatible server in a process of its own: every reply after LATENCY ms, one short answer.
// Prints its port; the last request body goes to BODY_FILE on GET /body.
import { createServer } from "node:http";

const latency = Number(process.argv[2] ?? 50);
const answer = JSON.stringify({
  id: "stub",
  object: "chat.completion",
  created: 0,
  model: "stub",
  choices: [{ index: 0, message: { role: "assistant", content: "Done: 42." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
});
let last = "{}";
const server = createServer((request, response) => {
  if (request.method === "GET") return response.end(last);
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    last = Buffer.concat(parts);
    setTimeout(() => {
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(answer),
      });
      response.end(answer);
    }, latency);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
