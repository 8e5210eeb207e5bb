import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from './database.ts'
import type { Fault } from './faults.ts'
import { CHANNEL, type Replica } from './replica.ts'

type Needs = { replicas: readonly Replica[]; postgres: Database }

/**
 * Inflicts a fault on its victims for its duration, and repairs it. Resolves when the cause is gone and every stopped
 * server has started again, to the faults observed.
 */
export async function inflict({ replicas, postgres }: Needs, fault: Fault): Promise<string[]> {
  const victims = fault.victims.map((place) => replicas[place]!)
  const lasts = () => wait(fault.lasts_ms)
  switch (fault.kind) {
    case 'kill':
    case 'kill_two':
    case 'kill_all':
      await Promise.all(victims.map((victim) => victim.kill()))
      await lasts()
      await Promise.all(victims.map((victim) => victim.serve()))
      return []
    case 'freeze':
      for (const victim of victims) victim.freeze()
      await lasts()
      for (const victim of victims) victim.thaw()
      return []
    case 'cut':
    case 'hold':
      for (const { database } of victims) database.set(fault.kind === 'cut' ? 'cut' : 'held')
      await lasts()
      for (const { database } of victims) database.set('open')
      return []
    case 'deaf':
    case 'mute':
      for (const { database } of victims) database.bar(CHANNEL, fault.kind === 'deaf' ? 'cut' : 'held')
      await lasts()
      return []
    case 'restart':
    case 'crash':
      await (fault.kind === 'crash' ? postgres.crash() : postgres.shutDown())
      await lasts()
      await postgres.start()
      return []
    case 'failover':
      await postgres.failOver(fault.lasts_ms)
      return []
    case 'rolling':
      return rollOver(victims)
  }
}

/** Like an operator: the next one once this one serves again. */
async function rollOver(victims: readonly Replica[]): Promise<string[]> {
  const faults: string[] = []
  for (const victim of victims) {
    const status = await victim.stop()
    if (status !== 0) faults.push(`${victim.name} stopped with exit status ${status}`)
    await victim.serve()
    // Until the balancer has noticed.
    await wait(1_000)
  }
  return faults
}
