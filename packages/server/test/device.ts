import { setTimeout as wait } from 'node:timers/promises'
import * as devices from '@sdd/contract/fleet/devices.ts'
import type { Report, SendCommand } from '@sdd/contract/fleet/device-protocol.ts'
import { connectAsync, type MqttClient } from 'mqtt'
import { call } from './server.ts'

export type TestDevice = Awaited<ReturnType<typeof connectDevice>>

/** Links a device like any other: with a code and the server's answer. */
export async function linkTestDevice(server: { url: string }, token: string, uid: string) {
  const code = await call(server, devices.createLinkCode, { token, body: {} })
  const linked = await call(server, devices.linkDevice, { body: { code: code.body.code, uid } })
  return linked.body as devices.LinkedDevice
}

/** A device over an independent MQTT client; it reports nothing on its own. */
export async function connectDevice(
  { uid, secret, mqtt_url }: { uid: string; secret: string; mqtt_url: string },
  session = crypto.randomUUID(),
  abilities?: string[],
) {
  const status = (state: string) => JSON.stringify({ status: state, session, agent: 'test/1', abilities })
  const client: MqttClient = await connectAsync(
    mqtt_url,
    {
      clientId: uid,
      username: uid,
      password: secret,
      reconnectPeriod: 0,
      keepalive: 60,
      will: {
        topic: `devices/${uid}/status`,
        payload: Buffer.from(status('disconnected')),
        qos: 1,
        retain: false,
      },
    },
    false,
  )
  const commands: SendCommand[] = []
  const arrivals: (() => void)[] = []
  client.on('error', () => {})
  client.on('message', (_, payload) => {
    commands.push(JSON.parse(payload.toString()) as SendCommand)
    for (const arrived of arrivals.splice(0)) arrived()
  })
  // When the connection ends, this client never settles the calls that were under way.
  const ended = new Promise<void>((resolve) => client.once('close', resolve))
  const cut = ended.then(() => Promise.reject(new Error(`The connection of ${uid} has ended`)))
  await Promise.race([client.subscribeAsync(`devices/${uid}/commands`, { qos: 1 }), cut])
  const publish = (part: string, payload: unknown) =>
    client.publishAsync(
      `devices/${uid}/${part}`,
      typeof payload === 'string' ? payload : JSON.stringify(payload),
      {
        qos: 1,
      },
    )
  await Promise.race([publish('status', status('connected')), cut])
  cut.catch(() => {})

  return {
    uid,
    session,
    client,
    commands,
    /** Resolves when the connection has ended. */
    ended,
    publish,
    /** Publishes reports; resolves when the server has acknowledged them. */
    report: (...reports: (Partial<Report> & Pick<Report, 'guid' | 'state'>)[]) =>
      publish(
        'reports',
        reports.map((report) => ({ at: new Date().toISOString(), ...report })),
      ),
    /** Resolves when all commands that the server has sent so far have arrived, since the PUBACK comes after them. */
    catchUp: () => publish('networks', { wifi: { ssid: 'home' }, mobile: null }),
    /** The commands, once there are this many. */
    async until(count: number, within_ms = 20_000): Promise<SendCommand[]> {
      const end = Date.now() + within_ms
      while (commands.length < count) {
        const left = end - Date.now()
        if (left <= 0) throw new Error(`${uid} was given ${commands.length} commands, not ${count}`)
        await Promise.race([
          new Promise<void>((resolve) => arrivals.push(resolve)),
          wait(left, undefined, { ref: false }),
        ])
      }
      return commands
    },
    /**
     * A clean stop: publishes the status and disconnects, unless the connection is cut before or meanwhile. After a cut,
     * MQTT.js would wait for the PUBACK forever.
     */
    async stop() {
      await Promise.race([publish('status', status('disconnected')), ended])
      await Promise.race([client.endAsync(), ended])
    },
    /** Breaks the connection without a DISCONNECT, as in a power cut. */
    vanish() {
      client.stream.destroy()
    },
  }
}

/** Waits until `look` returns a truthy value, and returns it. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  within_ms = 20_000,
): Promise<T> {
  const end = Date.now() + within_ms
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`Nothing came of ${look.toString()}`)
    await wait(15)
  }
}
