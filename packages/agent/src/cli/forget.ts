import { openFolder } from '#agent/folder.ts'
import { askStatus } from '#agent/status.ts'
import { type Command, DIR } from './command.ts'

export const forget: Command = {
  summary: 'drops a device and its secret from this agent; unlink it in the console too',
  positionals: ['UID'],
  takesDriver: false,
  options: DIR,
  async run({ config, print }, { values, positionals: [uid = ''] }) {
    const folder = openFolder(values['dir'] ?? config.folder)
    if (!folder.forget(uid)) {
      const known = folder.devices().map((device) => device.uid)
      throw new Error(`${uid} is not linked here: ${known.length > 0 ? known.join(', ') : 'nothing'} is`)
    }
    const running = (await askStatus(folder.socket_path)) !== undefined
    print(`${uid} is forgotten${running ? '; the running agent keeps it until its restart' : ''}.`)
    return 0
  },
}
