import { connect, type Socket } from 'node:net'

/**
 * HTTP/1.1 over plain sockets, each with one request at a time, since fetch would cost more than the measured servers.
 * It knows only their answers: with a length and without chunks.
 */
export type HttpLoad = {
  /** Resolves with the complete answer. Waits for a free connection. */
  request(line: string, body?: string): Promise<Answer>
  close(): void
}
export type Answer = { status: number; body: string }

type Pending = { bytes: Buffer; resolve(answer: Answer): void; reject(error: Error): void }

export function openHttpLoad(needs: {
  port: number
  connections: number
  headers?: Record<string, string>
}): HttpLoad {
  const { port, connections, headers = {} } = needs
  const fixed = Object.entries({ host: `127.0.0.1:${port}`, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const waiting: Pending[] = []
  const idle: Line[] = []
  const lines = Array.from({ length: connections }, () => openLine(port, next))
  idle.push(...lines)

  function next(line: Line): void {
    const pending = waiting.shift()
    if (pending) line.send(pending)
    else idle.push(line)
  }

  return {
    request(line, body) {
      const content = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
      const bytes = Buffer.from(`${line} HTTP/1.1\r\n${fixed}${content}\r\n${body ?? ''}`)
      return new Promise((resolve, reject) => {
        const pending = { bytes, resolve, reject }
        const free = idle.pop()
        if (free) free.send(pending)
        else waiting.push(pending)
      })
    },
    close() {
      for (const line of lines) line.close()
    },
  }
}

type Line = { send(pending: Pending): void; close(): void }

function openLine(port: number, done: (line: Line) => void): Line {
  let socket: Socket | undefined
  let current: Pending | undefined
  let received: Buffer | undefined

  /** Kannel and others may close a keep-alive connection: the next request opens another. */
  function open(): Socket {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true })
    opened.on('data', (bytes: Buffer) => {
      received = received ? Buffer.concat([received, bytes]) : bytes
      const answer = readAnswer(received)
      if (answer === undefined) return
      received = undefined
      const { resolve } = current!
      current = undefined
      resolve(answer)
      done(line)
    })
    opened.on('error', () => {})
    opened.on('close', () => {
      if (socket === opened) socket = undefined
      current?.reject(new Error(`127.0.0.1:${port} closed the connection during a request`))
      current = undefined
    })
    return opened
  }

  const line: Line = {
    send(pending) {
      current = pending
      socket ??= open()
      socket.write(pending.bytes)
    },
    close: () => void socket?.destroy(),
  }
  return line
}

/** The complete answer, or `undefined` until all of it has arrived. */
export function readAnswer(bytes: Buffer): Answer | undefined {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const text = bytes.toString('latin1', 0, head)
  const status = Number(text.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  if (length === undefined && status !== 204) throw new Error(`An answer without a length: ${text}`)
  const end = head + 4 + Number(length ?? 0)
  return bytes.length < end ? undefined : { status, body: bytes.toString('utf8', head + 4, end) }
}
