import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildConsole } from '../../scripts/build-console.ts'
import { buildServer, SERVER } from '../../scripts/build-server.ts'
import { ROOT } from '../../scripts/run.ts'

const INSTALL_WITHIN_MS = 300_000
const START_WITHIN_MS = 60_000

/**
 * Installs a copy of this tree as an operator would, without build tools, tests or install scripts. Checks that its
 * server becomes ready and that the agent's serial port loads.
 */
export async function tryProduction(): Promise<void> {
  await buildConsole()
  await buildServer()
  const folder = mkdtempSync(join(tmpdir(), 'sdd-supply-'))
  try {
    copyTree(folder)
    const npm = process.env['npm_execpath']
    const [command, ...before] = npm ? [process.execPath, npm] : ['npm']
    const flags = ['--ignore-scripts', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
    execFileSync(command!, [...before, 'ci', ...flags], {
      cwd: folder,
      timeout: INSTALL_WITHIN_MS,
      stdio: 'inherit',
    })
    for (const tool of ['typescript', 'vite', 'fast-check'])
      if (existsSync(join(folder, 'node_modules', tool)))
        throw new Error(`${tool} was installed without being asked for`)
    await seeReady(folder)
    loadSerialPort(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Files that are committed or about to be, and the built console. */
function copyTree(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const path of listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path))))
    cpSync(join(ROOT, path), join(folder, path))
  for (const built of ['packages/console/dist', 'packages/server/dist'])
    cpSync(join(ROOT, built), join(folder, built), { recursive: true })
}

async function seeReady(folder: string): Promise<void> {
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    MQTT_PORT: '0',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'info',
  }
  const server = spawn(process.execPath, [SERVER], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: START_WITHIN_MS,
  })
  const ended = once(server, 'exit')
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
      if (url === undefined) continue
      const { status } = await fetch(new URL('/readyz', url))
      if (status !== 200) throw new Error(`/readyz answered ${status}`)
      const page = await (await fetch(url)).text()
      if (!page.includes('SMS DRONE DASH')) throw new Error('The console was not served')
      return
    }
    throw new Error('The server ended before it was ready')
  } finally {
    server.kill()
    await ended
  }
}

/**
 * Makes the agent in this folder open a serial port that does not exist: its native part, which loads only then,
 * reports that. The library's own list of ports needs `udevadm`, which the agent never runs and a bare machine may
 * lack.
 */
export function loadSerialPort(folder: string): void {
  const program = `const { openSerialPort } = await import('#agent/serial/port.ts')
    const fault = await openSerialPort('no-such-port', 115_200).catch(({ message }) => message)
    if (!String(fault).includes('is not there')) throw new Error(fault)`
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(folder, 'packages/agent'),
    timeout: START_WITHIN_MS,
    stdio: 'inherit',
  })
}
