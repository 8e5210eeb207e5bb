import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { startChild, untilReady } from './children.ts'
import { type HttpLoad, openHttpLoad } from './http.ts'

export const KANNEL_MISSING =
  'Kannel is not installed: on Debian and Ubuntu, apt-get install kannel (1.4.5); it need not be running'

const PROGRAMS = { bearerbox: '/usr/sbin/bearerbox', smsbox: '/usr/sbin/smsbox' }

export function hasKannel(): boolean {
  return Object.values(PROGRAMS).every((path) => existsSync(path))
}

export type KannelStore = 'spool' | 'file'

/** Kannel between this process's HTTP client and its end of the fake SMSC. */
export type Kannel = {
  /** Submits one SMS with delivery reports. Resolves when Kannel answers, which it does after storing it. */
  submit(to: string, text: string): Promise<void>
  /** Of both its programs, in µs. */
  cpu(): number
  stop(): Promise<void>
}

export type KannelEvents = {
  /** The SMS has left for the SMSC. */
  given?(text: string): void
  /** The last of its two delivery reports (accepted by the SMSC, delivered) has arrived here. */
  delivered?(): void
}

/**
 * Starts bearerbox and smsbox in a separate folder, only on 127.0.0.1, and plays the radio network at the fake SMSC: it
 * reports each SMS as accepted and then as delivered.
 */
export async function startKannel(needs: {
  folder: string
  store: KannelStore
  connections: number
  on: KannelEvents
}): Promise<Kannel> {
  const { store, connections, on } = needs
  const folder = join(needs.folder, `kannel-${store}`)
  mkdirSync(join(folder, 'spool'), { recursive: true })
  const ports = {
    admin: Number(await freePort()),
    smsbox: Number(await freePort()),
    smsc: Number(await freePort()),
    sendsms: Number(await freePort()),
  }
  const path = join(folder, 'kannel.conf')
  writeFileSync(path, configuration(ports, store, folder))

  const receiver = await openReceiver(() => on.delivered?.())
  const bearerbox = startChild({
    name: 'bearerbox',
    folder,
    command: PROGRAMS.bearerbox,
    args: ['-v', '3', path],
  })
  await untilReady(bearerbox, () => answersTcp(ports.smsbox))
  // It opens this port after that one.
  let smsc: Socket | undefined
  await untilReady(bearerbox, async () => {
    smsc = await openSmsc(ports.smsc, (text) => on.given?.(text)).catch(() => undefined)
    return smsc !== undefined
  })
  const smsbox = startChild({ name: 'smsbox', folder, command: PROGRAMS.smsbox, args: ['-v', '3', path] })
  await untilReady(smsbox, () => answersTcp(ports.sendsms))
  // Kannel listens shortly before it knows its own boxes.
  await sleep(500)

  const load: HttpLoad = openHttpLoad({ port: ports.sendsms, connections })
  const reports = encodeURIComponent(`http://127.0.0.1:${receiver.port}/dlr?type=%d`)
  const fixed = `GET /cgi-bin/sendsms?username=bench&password=bench&from=100&dlr-mask=31&dlr-url=${reports}`
  return {
    async submit(to, text) {
      const line = `${fixed}&to=${encodeURIComponent(to)}&text=${encodeURIComponent(text)}`
      const { status, body } = await load.request(line)
      if (status !== 202) throw new Error(`Kannel answered ${status}: ${body}`)
    },
    cpu: () => bearerbox.cpu() + smsbox.cpu(),
    async stop() {
      load.close()
      await smsbox.stop()
      smsc?.destroy()
      await bearerbox.stop()
      receiver.close()
    },
  }
}

/** As shown in docs/performance.md. */
function configuration(
  ports: { admin: number; smsbox: number; smsc: number; sendsms: number },
  store: KannelStore,
  folder: string,
): string {
  return `group = core
admin-port = ${ports.admin}
admin-interface = "127.0.0.1"
admin-password = bench
admin-allow-ip = "127.0.0.1"
smsbox-port = ${ports.smsbox}
smsbox-interface = "127.0.0.1"
box-allow-ip = "127.0.0.1"
log-file = "${folder}/bearerbox-own.log"
log-level = 2
store-type = ${store}
store-location = "${folder}/${store === 'spool' ? 'spool' : 'store'}"
dlr-storage = internal

group = smsc
smsc = fake
smsc-id = fake
port = ${ports.smsc}
our-host = "127.0.0.1"
connect-allow-ip = "127.0.0.1"

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${ports.smsbox}
sendsms-port = ${ports.sendsms}
sendsms-interface = "127.0.0.1"
log-file = "${folder}/smsbox-own.log"
log-level = 2

group = sendsms-user
username = bench
password = bench

group = sms-service
keyword = default
max-messages = 0
text = "none"
`
}

async function answersTcp(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}

/** This process's end of the fake SMSC: one line for each SMS, `<from> <to> text <its text>`. */
async function openSmsc(port: number, given: (text: string) => void): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let rest = ''
  socket.setEncoding('utf8').on('data', (bytes: string) => {
    const lines = (rest + bytes).split('\n')
    rest = lines.pop()!
    for (const line of lines) given(line.slice(line.indexOf(' text ') + ' text '.length))
  })
  return socket
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
/** The report type that ends an SMS: 8 is the SMSC's acceptance, 1 the phone's. */
const DELIVERED = 'GET /dlr?type=1'

/** Receives delivery reports over keep-alive connections, with as little work as possible. */
async function openReceiver(delivered: () => void): Promise<{ port: number; close(): void }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    let rest = ''
    socket.setEncoding('latin1').on('data', (bytes: string) => {
      const requests = (rest + bytes).split('\r\n\r\n')
      rest = requests.pop()!
      if (requests.length > 0) socket.write(OK.repeat(requests.length))
      for (const request of requests) if (request.startsWith(DELIVERED)) delivered()
    })
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  }).listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => server.once('listening', resolve))
  // A Kannel that does not start leaves it open, and must not keep the process.
  server.unref()
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
