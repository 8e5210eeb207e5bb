import type { TestContext } from 'node:test'
import type { SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { type Sim, SimChange } from '@sdd/contract/fleet/sims.ts'
import { instant } from '#server/core/clock.ts'
import { saveSim } from '#server/fleet/sims/saving.ts'
import { listSims } from '#server/fleet/sims/sims.ts'
import { openFigures, OURS, type Device } from './figures.ts'

export const ICCIDS = ['8934561100000000011', '8934561100000000022', '8934561100000000033'] as const

/** A company with devices that name SIM cards. */
export async function openSims(t: TestContext) {
  const figures = await openFigures(t)
  const { world } = figures
  const sims = async (by = OURS) => (await listSims(world.needs, by.scope)).sims

  return {
    ...figures,
    sims,
    sim: async (iccid: string): Promise<Sim> => (await sims()).find((sim) => sim.iccid === iccid)!,
    /** Names these SIMs, by slot. */
    name: (device: Device, ...named: { iccid?: string; phone_number?: string; operator_name?: string }[]) =>
      world.networks(device.from, {
        mobile: { sims: named.map((sim, slot) => ({ slot: slot + 1, ...sim })) },
      }),
    save: (iccid: string, change: unknown, by = OURS) =>
      saveSim(world.needs, by, iccid, SimChange.parse(change)),
    now: () => instant(figures.clock.now()),
  }
}

export const guidsOf = (commands: readonly SendCommand[]) => commands.map(({ guid }) => guid)
