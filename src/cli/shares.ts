/** "72.9 %, 22.9 %": shares of 1 for people, the first few of many. */
export function percentages(shares: ArrayLike<number>, most: number = 6): string {
  const shown = Array.from(
    { length: Math.min(most, shares.length) },
    (_, r) => `${(100 * shares[r]).toFixed(1)} %`,
  );
  return shown.join(", ") + (shares.length > most ? ", ..." : "");
}
