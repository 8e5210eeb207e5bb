import type { TestContext } from 'node:test'
import type { SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { type Sim, SimChange } from '@sdd/contract/fleet/sims.ts'
import { instant } from '#server/core/clock.ts'
import { saveSim } from '#server/fleet/sims/saving.ts'
import { listSims } from '#server/fleet/sims/sims.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { openFigures, OURS, type Device } from './figures.ts'
import { withoutUrls } from './model/steps.ts'

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

/** The same, with tasks and messages of people, and why they wait. */
export async function openSimPlans(t: TestContext) {
  const sims = await openSims(t)
  const { world } = sims
  return {
    ...sims,
    /** A task for this number, handed over if it can be. */
    async task(
      to_number = '+34600111222',
      more: { from_number?: string; text?: string } = {},
    ): Promise<string> {
      const task = { to_number, text: 'hola', ...more }
      const [result] = await submitTasks(withoutUrls(world), OURS, [task])
      await world.settle()
      return result!.guid!
    },
    sendTo: async ({ uid }: Device, telefono_to: string) => {
      const sms = { device_uid: uid, telefono_to, mensaje_sms: 'hola' }
      const { guid } = await queueMessage(world.needs, OURS, sms)
      await world.settle()
      return guid
    },
    /** The waiting messages by guid: the code of why each waits, and its facts. */
    waits: async () =>
      new Map(
        (await sims.queued(OURS)).map(({ guid, waiting_code, waiting_params }) => [
          guid,
          [waiting_code, waiting_params],
        ]),
      ),
    used: async (iccid: string) => {
      const { parts, recipients } = (await sims.sim(iccid)).used
      return [parts, recipients]
    },
  }
}
