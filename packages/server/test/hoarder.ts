import { createServer } from 'node:net'

// A counterexample for the server: it keeps everything it receives.
const kept: Buffer[] = []
const server = createServer((socket) => void socket.on('data', (bytes) => kept.push(Buffer.from(bytes))))
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as { port: number }).port}.\n`)
})
