import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openClient } from '../packages/contract/src/core/client.ts'
import { createLinkCode } from '../packages/contract/src/fleet/devices.ts'
import { ROOT } from './run.ts'

const AGENT = join(ROOT, 'packages/agent/src/main.ts')
const OPERATORS = ['Movistar', 'Vodafone', 'Orange', 'Yoigo']

/** Devices of the demo that run the real agent over simulated modems. They are linked at the first start. */
export async function startAgent({ url, token, folder }: { url: string; token: string; folder: string }) {
  const dir = join(folder, 'agent')
  if (!existsSync(dir)) await link()
  const child = spawn(process.execPath, [AGENT, 'run', '--dir', dir], { stdio: 'ignore', detached: true })

  async function link(): Promise<void> {
    const body = { uses: OPERATORS.length }
    const { code } = await openClient({ url, token }).call(createLinkCode, { query: {}, body })
    for (const [n, operator] of OPERATORS.entries()) {
      const device = ['--uid', `modem-000${n + 1}`, '--location', 'Almacén', '--driver', 'simulated']
      const sim = ['--operator', operator, '--number', `+3460099000${n + 1}`]
      const args = [AGENT, 'link', '--dir', dir, '--server', url, '--code', code, ...device, ...sim]
      await promisify(execFile)(process.execPath, args)
    }
  }

  return { devices: OPERATORS.length, stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
