import { once } from 'node:events'
import { connectPacket, openPackets, PINGREQ, PUBLISH, readPublish, SUBACK, subscribePacket } from './mqtt.ts'

/** A browser that watches the devices, over the same WebSocket as the console. */
export async function openBrowser(needs: {
  url: string
  token: string
  status(device_uid: string, status: 'connected' | 'disconnected'): void
}): Promise<{ close(): void }> {
  const { url, token, status } = needs
  const socket = new WebSocket(`${url.replace('http', 'ws')}/mqtt`, 'mqtt')
  socket.binaryType = 'arraybuffer'
  await once(socket, 'open')
  socket.send(connectPacket({ client_id: 'bench-browser', username: 'bench', password: token }))
  socket.send(subscribePacket(1, 'devices/status', '/front/change'))
  const packets = openPackets()
  const subscribed = Promise.withResolvers<void>()
  socket.addEventListener('message', ({ data }) => {
    for (const { type, body } of packets(Buffer.from(data as ArrayBuffer))) {
      if (type === SUBACK) subscribed.resolve()
      if (type !== PUBLISH) continue
      const { topic, payload } = readPublish(body, 0)
      if (topic !== 'devices/status') continue
      const said = JSON.parse(payload.toString()) as { device_uid: string; status: 'connected' }
      status(said.device_uid, said.status)
    }
  })
  socket.addEventListener('close', () => subscribed.reject(new Error('The browser was refused')))
  await subscribed.promise
  const pinging = setInterval(() => socket.send(PINGREQ), 30_000)
  return {
    close() {
      clearInterval(pinging)
      socket.close()
    },
  }
}
