import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atEndOfFile } from '../../../scripts/end-of-file.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { findMosquitto } from '../../../scripts/mosquitto.ts'

export type TestBroker = {
  readonly port: number
  /** With the administrator's credentials if the broker has dynamic security. */
  readonly url: string
  readonly log: () => string
  /** Kills it, like a power cut. */
  kill(): Promise<void>
  shutDown(): Promise<void>
  /** Starts it again on the same port with the same files. */
  start(): Promise<void>
  stop(): Promise<void>
}

export const SERVER_USER = 'sms-drone-dash'
const SERVER_PASSWORD = 'a password: of/the@broker'

/**
 * A separate Mosquitto with the file of docs/external-broker.md, which a file like Debian's includes. With
 * `clients: 'known'`, its dynamic security plugin admits only clients on its list. Otherwise it admits every client.
 */
export async function startMosquitto({
  clients,
  certificate,
}: {
  clients: 'known' | 'all'
  /** Uses TLS with these files. */
  certificate?: { cert: string; key: string }
}): Promise<TestBroker> {
  const programs = await findMosquitto()
  const folder = mkdtempSync(join(tmpdir(), 'sdd-mosquitto-'))
  const port = Number(await freePort())
  const secured = join(folder, 'dynamic-security.json')
  const listener = [
    `listener ${port} 127.0.0.1`,
    ...(certificate ? [`certfile ${certificate.cert}`, `keyfile ${certificate.key}`] : []),
  ]
  const { access, limits } = documentedFile()
  const security =
    clients === 'all'
      ? ['allow_anonymous true']
      : access.map((line) =>
          line
            .replace(/^plugin \S+/, `plugin ${programs.plugin}`)
            .replace(/^plugin_opt_config_file \S+/, `plugin_opt_config_file ${secured}`),
        )
  if (clients === 'known') {
    execFileSync(programs.control, ['dynsec', 'init', secured, SERVER_USER, SERVER_PASSWORD], {
      stdio: 'ignore',
    })
  }
  const included = join(folder, 'conf.d')
  mkdirSync(included)
  writeFileSync(
    join(included, 'sms-drone-dash.conf'),
    `${[...listener, ...security, ...limits].join('\n')}\n`,
  )
  const conf = join(folder, 'mosquitto.conf')
  // Like Debian's own file.
  const lines = [
    `pid_file ${folder}/mosquitto.pid`,
    'persistence true',
    `persistence_location ${folder}/`,
    'log_type all',
    'log_dest stderr',
    `include_dir ${included}`,
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ]
  writeFileSync(conf, `${lines.join('\n')}\n`)
  chmodSync(folder, 0o700)

  let child: ChildProcess | undefined
  let output = ''

  async function start(): Promise<void> {
    child = spawn(programs.broker, ['-c', conf], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('exit', () => (child = undefined))
    while (!(await answers(port))) {
      if (child === undefined) throw new Error(`Mosquitto ended:\n${output}`)
      await wait(20)
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined) return
    child.kill(signal)
    await once(child, 'exit')
  }

  // A failing test stops nothing itself.
  atEndOfFile(() => child?.kill('SIGKILL'))
  await start()
  const user = `${SERVER_USER}:${encodeURIComponent(SERVER_PASSWORD)}@`
  return {
    port,
    url: `${certificate ? 'mqtts' : 'mqtt'}://${clients === 'known' ? user : ''}${certificate ? 'localhost' : '127.0.0.1'}:${port}`,
    log: () => output,
    kill: () => end('SIGKILL'),
    shutDown: () => end('SIGTERM'),
    start,
    async stop() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The lines of the file in docs/external-broker.md, without its listener. */
function documentedFile(): { access: string[]; limits: string[] } {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/external-broker.md'), 'utf8')
  const lines = /^listener 1883\n([^]*?)\n```/m.exec(page)![1]!.split('\n')
  const access = lines.filter((line) => /^(allow_anonymous|plugin)/.test(line))
  return { access, limits: lines.filter((line) => !access.includes(line)) }
}

async function answers(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
