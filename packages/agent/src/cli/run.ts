import { startAgent } from '#agent/agent.ts'
import { openFolder, type Folder } from '#agent/folder.ts'
import { askStatus, serveStatus } from '#agent/status.ts'
import { VERSION } from '@sdd/contract/core/version.ts'
import { type Command, DIR, type World } from './command.ts'

export const run: Command = {
  summary: 'runs every linked device, until Ctrl-C or SIGTERM',
  positionals: [],
  takesDriver: false,
  options: DIR,
  async run(world, { values }) {
    const folder = openFolder(values['dir'] ?? world.config.folder)
    const devices = folder.devices()
    if (devices.length === 0)
      throw new Error(`No device is linked in ${folder.path}: 'sdd-agent link --help' says how`)
    const release = await holdFolder(folder)
    const ledger = world.openLedger(folder.ledger_path)
    const say = (sentence: string): void => world.print(stamped(world, sentence))
    say(`agent ${VERSION}, ${devices.length} device${devices.length === 1 ? '' : 's'}, folder ${folder.path}`)
    const agent = await startAgent({ ...world, devices, ledger, say, folder })
    const status = () => ({ pid: process.pid, version: VERSION, devices: agent.states() })
    const stopServing = await serveStatus(folder.socket_path, status).catch((error: Error) => {
      say(`doctor cannot ask this agent for its status: ${error.message}`)
    })
    await aborted(world.stop)
    say('stopping: the messages on air are finished first')
    await agent.stop()
    await stopServing?.()
    ledger.close()
    release()
    say('stopped')
    return 0
  },
}

/** Rejects if another process holds the folder, and names the process. */
export async function holdFolder(folder: Folder): Promise<() => void> {
  const release = folder.hold()
  if (release) return release
  const pid = (await askStatus(folder.socket_path))?.pid
  const which = pid === undefined ? 'An agent' : `An agent (process ${pid})`
  throw new Error(
    `${which} runs on ${folder.path} already: stop it first, or choose another folder with --dir`,
  )
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function stamped({ config, clock }: Pick<World, 'config' | 'clock'>, sentence: string): string {
  return config.in_journal ? sentence : `${new Date(clock.now()).toISOString()} ${sentence}`
}
