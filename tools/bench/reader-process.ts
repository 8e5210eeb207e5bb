import { openJson } from './server.ts'

/** `node reader-process.ts <port> <token>`: requests each path it receives, and returns the time that took, in ms. */
const [port, token] = process.argv.slice(2)
const reading = openJson(Number(port), token!, 1)

process.on('disconnect', () => process.exit())
process.on('message', (path: string) => void time(path))

async function time(path: string): Promise<void> {
  const asked = performance.now()
  try {
    await reading.get(path)
    process.send!({ ms: performance.now() - asked })
  } catch (error) {
    process.send!({ error: String(error) })
  }
}
