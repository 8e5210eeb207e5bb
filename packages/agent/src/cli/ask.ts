import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/**
 * Asks for secrets at the terminal without showing the input. If standard input is not a terminal, each answer is its
 * next line.
 */
export function openAsking(
  input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): (question: string) => Promise<string> {
  let lines: AsyncIterator<string> | undefined

  return async (question) => {
    if (!input.isTTY) {
      lines ??= createInterface({ input })[Symbol.asyncIterator]()
      const { value, done } = await lines.next()
      return done ? '' : value
    }
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const terminal = createInterface({ input, output: silent, terminal: true })
    output.write(question)
    try {
      return await terminal.question('')
    } finally {
      terminal.close()
      output.write('\n')
    }
  }
}
