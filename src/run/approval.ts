import type { Case } from "../core/nouns/case.ts";

/** What becomes of a call that needs approval. */
export type Approved = "approve" | "deny" | "refused-by-policy";

/**
 * The approval policy of a trial with the case's simulated human, who answers the n-th question about a tool with the
 * case's n-th answer for it; the last one is repeated, and without any the answer is yes.
 */
export class ApprovalDesk {
  private readonly item: Pick<Case, "approval" | "approvals">;
  private readonly asked = new Map<string, number>();

  constructor(item: Pick<Case, "approval" | "approvals">) {
    this.item = item;
  }

  /** The decision on a call, or null where nobody is asked and the call runs at once. */
  decide(tool: string): Approved | null {
    if (this.item.approval === "auto") return null;
    if (this.item.approval === "never") return "refused-by-policy";
    const answers = this.item.approvals.filter((entry) => entry.tool === tool);
    const number = this.asked.get(tool) ?? 0;
    this.asked.set(tool, number + 1);
    return answers[Math.min(number, answers.length - 1)]?.answer ?? "approve";
  }
}

/** What the model is told when its call did not run. */
export function refusalText(tool: string, decision: Exclude<Approved, "approve">): string {
  return decision === "deny"
    ? `The user declined this call of ${tool}. It was not run.`
    : `The approval mode "never" refuses ${tool}. It was not run.`;
}
