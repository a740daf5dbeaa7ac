/**
 * Pairs of one verdict in each arm: both pass, only the first, only the second, none. The counts may be fractional
 * where differences between −1 and 1 are read as shares of a discordant pair.
 */
export interface PairedTable {
  readonly both: number;
  readonly first: number;
  readonly second: number;
  readonly none: number;
}
