/** What the load balancer asks for every ten seconds. */
export function health(): { status: "up" } {
  return { status: "up" };
}
