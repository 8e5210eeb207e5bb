import type { ConnectedDevice } from '#server/fleet/presence/presence.ts'
import type { testClock } from '#test/clock.ts'
import type { DeviceName } from './events.ts'
import { type Company, type Device, type Message, passTime } from './model.ts'
import type { World } from './world.ts'

/** The product and its model side by side. */
export type Play = {
  world: World
  clock: ReturnType<typeof testClock>
  messages: Message[]
  devices: Map<DeviceName, { device: Device; from: ConnectedDevice; session: string }>
  /** All devices ever linked, including unlinked ones. */
  allDevices: Device[]
  companies: Record<1 | 2, Company>
  companyOf(device: Device | Message): Company
  /** The latest message of that guid in the company. */
  find(company: number, guid: string): Message | undefined
  link(name: DeviceName): Promise<void>
  /** One round of the dispatcher, and its time effects on the model. */
  round(settle: boolean): Promise<void>
  count(): number
}

/** The initial state of both: no devices linked, no messages waiting. */
export function begin(world: World, clock: Play['clock']): Play {
  const company = (): Company => ({
    sending: true,
    pace_ms: 0,
    blocked: new Set(),
    route: 'none',
  })
  let counted = 0
  const playing: Play = {
    world,
    clock,
    messages: [],
    devices: new Map(),
    allDevices: [],
    companies: { 1: company(), 2: company() },
    companyOf: ({ company }) => playing.companies[company as 1 | 2],
    find: (company, guid) => playing.messages.findLast((one) => one.company === company && one.guid === guid),
    async link(name) {
      const company_id = name === 'stranger' ? 2 : 1
      const id = await world.link(company_id, name)
      const device: Device = {
        id,
        uid: name,
        company: company_id,
        linked: true,
        connected: false,
        enabled: true,
        tagged: false,
        limit: 100,
        sims: new Set<string>(),
        given_ms: -Infinity,
        failures: 0,
        quarantines: 0,
        quarantined_until_ms: undefined,
        inbox: [],
      }
      playing.allDevices.push(device)
      const connection = await world.db.connectionNumber()
      const from = { connection_id: `${name}-${id}`, connection, uid: name, device_id: id, company_id }
      playing.devices.set(name, { device, from, session: '' })
    },
    async round(settle) {
      passTime(playing.messages, clock.now())
      await (settle ? world.settle() : world.round())
    },
    count: () => ++counted,
  }
  return playing
}
