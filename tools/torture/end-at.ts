import { onCrashPoint } from '../../packages/server/src/core/crash-points.ts'
import { type PlaceName, type Place, places } from './plan.ts'

/**
 * Imported ahead of the server (`node --import`): ends its process with kill -9 when it reaches a place for the nth
 * time. TORTURE names both. The server itself knows nothing of it.
 */
const { place, nth } = JSON.parse(process.env['TORTURE']!) as { place: PlaceName; nth: number }
const { point, behind, soon }: Place = places[place]
let met = 0
let armed = behind === undefined

if (behind !== undefined) onCrashPoint(behind, () => (armed = true))
if (point !== undefined) {
  onCrashPoint(point, () => {
    if (!armed) return
    armed = behind === undefined
    if (++met !== nth) return
    if (soon === undefined) end()
    else setImmediate(end)
  })
}

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}
