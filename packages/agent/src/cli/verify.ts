import { join } from 'node:path'
import { readReleaseKey, verifyRelease } from '#agent/release.ts'
import { type Command, DIR } from './command.ts'

export const verify: Command = {
  summary: 'checks before an update that the files of a release are signed and unchanged',
  positionals: ['FOLDER'],
  takesDriver: false,
  options: {
    key: {
      value: 'FILE',
      meaning: "the public key of the releases; by default release-key.pem in the agent's folder",
    },
    ...DIR,
  },
  async run({ config, print }, { values, positionals: [folder = ''] }) {
    const key_file = values['key'] ?? join(values['dir'] ?? config.folder, 'release-key.pem')
    const files = await verifyRelease(folder, await readReleaseKey(key_file))
    for (const file of files) print(`  good  ${file}`)
    print('They are signed and unchanged.')
    return 0
  },
}
