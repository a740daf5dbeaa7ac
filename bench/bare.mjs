// The yardstick: a loop over the bare `openai` client, CALLS calls, IN_FLIGHT at a time, with the body given.
import { readFileSync } from "node:fs";
import OpenAI from "openai";

const [base, bodyFile, calls, inFlight] = process.argv.slice(2);
const body = JSON.parse(readFileSync(bodyFile, "utf8"));
const client = new OpenAI({ baseURL: base, apiKey: "stub", maxRetries: 0 });
let left = Number(calls);
let answers = 0;
const worker = async () => {
  while (left-- > 0) {
    const reply = await client.chat.completions.create(body);
    if (reply.choices[0].message.content) answers += 1;
  }
};
await Promise.all(Array.from({ length: Number(inFlight) }, worker));
if (answers !== Number(calls)) throw new Error(`${answers} answers of ${calls}`);
