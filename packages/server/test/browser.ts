import type { FrontChange, StatusChange } from '@sdd/contract/core/live.ts'
import { devicesStatus, frontChange } from '@sdd/contract/core/live.ts'
import { connectAsync } from 'mqtt'

export type TestBrowser = Awaited<ReturnType<typeof connectBrowser>>

/** A browser's live connection over an independent MQTT client. It records everything a browser may receive. */
export async function connectBrowser(server: { url: string }, token: string) {
  const client = await connectAsync(
    `${server.url.replace('http', 'ws')}/mqtt`,
    {
      username: 'anything',
      password: token,
      reconnectPeriod: 0,
    },
    false,
  )
  const statuses: (StatusChange & { at_ms: number })[] = []
  const changes: (FrontChange & { at_ms: number })[] = []
  client.on('error', () => {})
  client.on('message', (topic, bytes) => {
    const payload = JSON.parse(bytes.toString()) as StatusChange & FrontChange
    const heard: object[] = topic === devicesStatus.pattern ? statuses : changes
    heard.push({ ...payload, at_ms: performance.now() })
  })
  await client.subscribeAsync([devicesStatus.pattern, frontChange.pattern])
  return {
    client,
    statuses,
    changes,
    /** What the browser received about one device, in order. */
    heardOf: (uid: string) =>
      statuses.filter(({ device_uid }) => device_uid === uid).map(({ status }) => status),
    /** Resolves when the connection has ended. */
    ended: new Promise<void>((resolve) => client.once('close', resolve)),
    stop: () => client.endAsync(true),
  }
}
