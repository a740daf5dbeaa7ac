/** A skill's name as names are compared: `é` in one character, whichever way a file system or an editor writes it. */
export function sameName(name: string): string {
  return name.normalize();
}
