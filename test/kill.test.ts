import { test } from 'node:test'
import { killUnderTraffic } from './traffic.ts'

test('a server killed 20 times under traffic loses nothing that it acknowledged and sends nothing twice', (t) =>
  killUnderTraffic(t, {
    kills: 20,
    async kill(installation) {
      await installation.server.kill()
      await installation.restart()
    },
  }))
