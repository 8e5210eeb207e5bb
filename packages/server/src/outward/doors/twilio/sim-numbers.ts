import type { Tx } from '#server/database/schema.ts'
import { numberOfSim } from '#server/fleet/sims/own-numbers.ts'

/** Finds the number of a device's SIM, each once. Null if it is not known. */
export function openSimNumbers(tx: Tx) {
  const known = new Map<string, Promise<string | undefined>>()
  return async (uid: string | null, sim: string | null): Promise<string | null> => {
    if (uid === null) return null
    return (await known.getOrInsertComputed(`${uid} ${sim ?? ''}`, () => numberOfSim(tx, uid, sim))) ?? null
  }
}
