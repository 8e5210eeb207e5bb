import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parentPort } from 'node:worker_threads'

const RESOLUTION_MS = 10

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
parentPort!.on('message', () => {
  parentPort!.postMessage(Math.max(0, delay.max / 1e6 - RESOLUTION_MS))
  delay.reset()
})
