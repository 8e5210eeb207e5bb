import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFleet } from '../packages/simulator/src/fleet.ts'
import { linkFleet } from '../packages/simulator/src/link.ts'
import { buildConsole } from './build-console.ts'
import { buildServer, SERVER } from './build-server.ts'
import { startAgent } from './demo-agent.ts'
import { startCampaigns } from './demo-campaigns.ts'
import { addPeople } from './demo-people.ts'
import { castOf, playScenes } from './demo-scenes.ts'
import { startTasks } from './demo-tasks.ts'
import { ROOT } from './run.ts'
import { openSession } from './session.ts'

/** Fixed, so that every start can print them. The demo listens only on this machine. */
const CREDENTIALS = { username: 'superadmin', password: 'drone-demo' }
const DEVICES = 8
const LOCATIONS = ['Madrid', 'Barcelona', 'Valencia', 'Sevilla', 'Bilbao', 'Zaragoza']

await buildConsole()
await buildServer()
const folder = process.env.DATA_DIR ?? join(ROOT, 'demo-data')
const port = Number(process.env.PORT) || (await freePort(8080))
const mqtt_port = Number(process.env.MQTT_PORT) || (await freePort(1883))
const url = `http://127.0.0.1:${port}`

let stopping_since_ms: number | undefined
const server = startServer()
await ready(server)
const token = await login()
const devices = await linkFleet({
  server_url: url,
  token,
  count: DEVICES,
  prefix: 'drone-',
  locations: LOCATIONS,
  path: join(folder, 'fleet.json'),
})
const fleet = await startFleet({
  devices: castOf(devices, { folder }),
  mqtt_url: `mqtt://127.0.0.1:${mqtt_port}`,
  ledger_path: join(folder, 'fleet.ledger'),
  // Now and then a device leaves and returns.
  faults: { leave_every_secs: 300, away_ms: [4_000, 10_000] },
  // Of 100 messages two fail, in different ways.
  behaviour: {
    delivery_ms: [1_000, 4_000],
    reply_ms: [4_000, 20_000],
    replying: 0.3,
    stopping: 0.02,
    failing: 0.006,
    blocked: 0.006,
    unanswered: 0.002,
    undelivered: 0.006,
    unreported: 0.01,
  },
})
await fleet.connected()
await addPeople({ url, token })
const agent = await startAgent({ url, token, folder })
const tasks = await startTasks({ url, token, folder })
await playScenes({ url, token, folder }, { fleet, shop: tasks })
// After the scenes, which need what a device may still send today.
await startCampaigns({ url, token })
process.stdout.write(`
  SMS Drone Dash runs with ${DEVICES} simulated devices, an agent with ${agent.devices} simulated modems, and a shop
  that submits tasks. One device is slow, others are broken, disabled, at their limit, or away: docs/demo.md.

    open      ${url}
    log in    ${CREDENTIALS.username}  /  ${CREDENTIALS.password}   (or operator  /  ${CREDENTIALS.password})

  Nothing leaves this machine: the devices only pretend to send. Everything is kept in
  ${folder}; Ctrl-C stops the demo, and \`npm run demo\` continues it.

`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted)

/** npm forwards Ctrl-C, which this process has already got from the terminal. */
function interrupted(): void {
  if (stopping_since_ms === undefined) return void stop()
  if (performance.now() - stopping_since_ms < 1_000) return
  fleet.crash()
  server.kill('SIGTERM')
  process.stdout.write('Ended at once; `npm run demo` continues.\n')
  process.exit(1)
}

async function stop(status = 0): Promise<void> {
  if (stopping_since_ms !== undefined) return
  stopping_since_ms = performance.now()
  process.stdout.write(
    'Stopping: the slow device may need 40 s for its message. Ctrl-C again ends it at once.\n',
  )
  await Promise.all([tasks.stop(), agent.stop(), fleet.stop()])
  if (server.exitCode === null) {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
  process.stdout.write('Stopped. Everything is kept; `npm run demo` continues.\n')
  process.exit(status)
}

function startServer(): ChildProcess {
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    MQTT_PORT: String(mqtt_port),
    DATA_DIR: folder,
    // Plain HTTP, as it listens only on this machine, whatever .env says.
    TLS_CERT_FILE: '',
    TLS_KEY_FILE: '',
    ADMIN_USERNAME: CREDENTIALS.username,
    ADMIN_PASSWORD: CREDENTIALS.password,
    // The shop's callbacks stay on this machine.
    CALLBACK_ADDRESSES: 'any',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  }
  const child = spawn(process.execPath, [join(ROOT, SERVER)], {
    env: { ...process.env, ...settings },
    // Through this channel the child notices when this process ends without a signal.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // In its own process group: Ctrl-C reaches only this process, so devices disconnect before their server stops.
    detached: true,
  })
  child.on('exit', (code) => {
    if (stopping_since_ms !== undefined) return
    process.stderr.write('The server has ended; see its output above.\n')
    process.exit(code || 1)
  })
  return child
}

async function ready(child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(100)
  }
}

async function login(): Promise<string> {
  try {
    return await openSession(url, CREDENTIALS)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    process.stderr.write(
      `${folder} has a different password from the demo's (${why}); remove it to start again.\n`,
    )
    process.exit(1)
  }
}

/** The usual port, or any free one if it is taken. */
async function freePort(usual: number): Promise<number> {
  for (const port of [usual, 0]) {
    const probe = createServer().listen(port, '127.0.0.1')
    const listening = await once(probe, 'listening').catch(() => undefined)
    const address = probe.address()
    probe.close()
    if (listening && address && typeof address === 'object') return address.port
  }
  throw new Error('This machine has no free port')
}
