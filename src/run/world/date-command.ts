import { type Command, defineCommand } from "just-bash";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DEFAULT_FORMAT = "%a %b %e %H:%M:%S %Z %Y";

/** `date` at a fixed time, UTC. Takes `+FORMAT`, `-u`, `-I`, `-R` and `-d` with an ISO date or `@SECONDS`. */
export function dateCommand(now: Date): Command {
  return defineCommand("date", async (args) => {
    let format = DEFAULT_FORMAT;
    let time = now;
    for (const [at, arg] of args.entries()) {
      if (arg.startsWith("+")) format = arg.slice(1);
      else if (/^(-I|--iso-8601)/.test(arg))
        format = arg.endsWith("seconds") ? "%Y-%m-%dT%H:%M:%S+00:00" : "%F";
      else if (arg === "-R") format = "%a, %d %b %Y %H:%M:%S +0000";
      const given =
        /^(?:-d|--date=)(.+)$/.exec(arg)?.[1] ?? (arg === "-d" || arg === "--date" ? args[at + 1] : null);
      if (given !== null && given !== undefined) time = readTime(given, now);
    }
    if (Number.isNaN(time.getTime())) {
      return {
        stdout: "",
        stderr: "date: this date can't be read here; use YYYY-MM-DD or @SECONDS\n",
        exitCode: 1,
      };
    }
    return { stdout: `${formatTime(format, time)}\n`, stderr: "", exitCode: 0 };
  });
}

function readTime(text: string, now: Date): Date {
  if (/^(now|today)?$/.test(text.trim())) return now;
  const seconds = /^@(\d{1,12})$/.exec(text)?.[1];
  if (seconds !== undefined) return new Date(Number(seconds) * 1000);
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return new Date(Number.NaN);
  return new Date(
    /[zZ]|[+-]\d\d:?\d\d$/.test(text.slice(10))
      ? text
      : `${text.replace(" ", "T")}${text.length > 10 ? "Z" : ""}`,
  );
}

function formatTime(format: string, time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  const name = { day: DAYS[time.getUTCDay()] ?? "", month: MONTHS[month] ?? "" };
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(two);
  const iso = `${year}-${two(month + 1)}-${two(day)}`;
  const values: Readonly<Record<string, string>> = {
    Y: String(year),
    y: two(year % 100),
    m: two(month + 1),
    d: two(day),
    e: String(day).padStart(2, " "),
    H: clock[0] ?? "",
    M: clock[1] ?? "",
    S: clock[2] ?? "",
    N: "000000000",
    F: iso,
    T: clock.join(":"),
    R: clock.slice(0, 2).join(":"),
    D: `${two(month + 1)}/${two(day)}/${two(year % 100)}`,
    a: name.day.slice(0, 3),
    A: name.day,
    b: name.month.slice(0, 3),
    B: name.month,
    u: String(time.getUTCDay() || 7),
    w: String(time.getUTCDay()),
    j: String(Math.floor((time.getTime() - Date.UTC(year, 0, 1)) / 86_400_000) + 1).padStart(3, "0"),
    s: String(Math.floor(time.getTime() / 1000)),
    Z: "UTC",
    z: "+0000",
    n: "\n",
    t: "\t",
    "%": "%",
  };
  return format.replace(/%[-_0]?([A-Za-z%])/g, (found, key: string) => values[key] ?? found);
}
