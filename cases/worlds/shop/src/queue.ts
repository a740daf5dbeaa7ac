interface Job {
  readonly id: string;
  readonly tries: number;
}

/** Jobs that have failed too often are handed to a person. */
export function review(jobs: readonly Job[]): Job[] {
  return jobs.filter((job) => job.tries > 3);
}

export function nextJob(jobs: readonly Job[]): Job | undefined {
  const stuck = new Set(review(jobs).map((job) => job.id));
  return jobs.find((job) => !stuck.has(job.id));
}
