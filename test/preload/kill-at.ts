import { existsSync, readFileSync, rmSync } from 'node:fs'
import { type CrashPoint, onCrashPoint } from '../../packages/server/src/core/crash-points.ts'

// Loaded before the server by `--import`. Ends the process with kill -9 when it next reaches the point that the file
// named by KILL_AT has. The file is removed, so each one means one kill.

const file = process.env.KILL_AT ?? ''
const points: readonly CrashPoint[] = [
  'inserted',
  'claimed',
  'commanded',
  'reported',
  'alerting',
  'alerted',
  'prepared',
  'taken',
  'told',
]

for (const point of points)
  onCrashPoint(point, () => {
    if (!existsSync(file) || readFileSync(file, 'utf8') !== point) return
    rmSync(file)
    process.kill(process.pid, 'SIGKILL')
  })
