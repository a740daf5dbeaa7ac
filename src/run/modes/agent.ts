import { Conversation, type Said } from "../conversation.ts";
import type { Session } from "../session.ts";

/** Mode `agent`: one conversation, one loop per user turn. The answer is that of the last turn. */
export async function runAgent(session: Session): Promise<Said> {
  const { item, allTools } = session.setting;
  const talk = new Conversation(session, "agent", allTools);
  let answer = "";
  for (const { user } of item.turns) {
    const said = await talk.say(user);
    if (said.outcome !== null) return said;
    answer = said.answer;
  }
  return { answer, outcome: null };
}
