import { setTimeout as wait } from 'node:timers/promises'
import { type Client, openClient } from '../../../packages/contract/src/core/client.ts'
import { disableDevice, listDevices, unlinkDevice } from '../../../packages/contract/src/fleet/devices.ts'
import { linkFleet } from '../../../packages/simulator/src/link.ts'
import { type Browsers, openBrowsers } from './browsers.ts'
import { type Resident, startResident } from './residents.ts'
import type { Replica } from './replica.ts'
import { startWalk, type Walk } from './walks.ts'

/** Devices without messages, and browsers: they check whether the shown status of devices is right, and how soon. */
export type Watch = {
  readonly browsers: Browsers
  readonly residents: readonly Resident[]
  /** Devices that come and go. */
  readonly walkers: ReadonlySet<string>
  heard(): Walk['heard']
  /** The residents' statuses that servers still show wrongly after some time. */
  untruths(): Promise<string[]>
  /** Ends them all without a trace. */
  stop(): Promise<void>
}

type Needs = { server_url: string; token: string; folder: string; replicas: readonly Replica[] }

/** Per server. */
const RESIDENTS = 2
const TRUE_WITHIN_MS = 15_000
const LOOK_EVERY_MS = 200

export async function startWatch({ server_url, token, folder, replicas }: Needs): Promise<Watch> {
  const { call } = openClient({ url: server_url, token })
  const path = `${folder}/watching.jsonl`
  const count = replicas.length * (RESIDENTS + 1)
  const accounts = await linkFleet({ server_url, token, count, prefix: 'watch-', path })
  for (const { uid } of accounts) await call(disableDevice, { params: { uid } })
  const urls = replicas.map(({ url }) => url)
  const browsers = openBrowsers(urls, token)
  const clients = urls.map((url) => openClient({ url, token }))
  const placed = accounts.map((account, i) => {
    const place = i % replicas.length
    return { account, place, mqtt_url: replicas[place]!.mqtt_url }
  })
  const walking = placed.splice(-replicas.length)
  const residents = placed.map(startResident)
  const walks = walking.map((one) => startWalk({ ...one, browsers }))

  async function untruths(): Promise<string[]> {
    const until = performance.now() + TRUE_WITHIN_MS
    for (;;) {
      const found = (await Promise.all(clients.map(wrongly))).flat()
      if (found.length === 0 || performance.now() > until) return found
      await wait(LOOK_EVERY_MS)
    }
  }

  async function wrongly({ call }: Client, place: number): Promise<string[]> {
    const { devices } = await call(listDevices)
    const shown = new Map(devices.map(({ uid, status }) => [uid, status]))
    return residents
      .filter((resident) => (shown.get(resident.uid) === 'connected') !== resident.connected())
      .map(({ uid }) => `${replicas[place]!.name} shows ${uid} as ${shown.get(uid)}, which is wrong`)
  }

  return {
    browsers,
    residents,
    walkers: new Set(walking.map(({ account }) => account.uid)),
    heard: () => walks.flatMap(({ heard }) => heard),
    untruths,
    async stop() {
      await Promise.all([...walks, ...residents, browsers].map((one) => one.stop()))
      for (const { uid } of accounts) await call(unlinkDevice, { params: { uid } })
    },
  }
}
