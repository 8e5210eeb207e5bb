import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { openAsking } from './ask.ts'

test('a secret typed at the terminal is not shown', async () => {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  const screen = new PassThrough({ encoding: 'utf8' })
  const ask = openAsking(keyboard, screen)
  let shown = ''
  screen.on('data', (text: string) => void (shown += text))
  for (const [question, secret] of [
    ['Code: ', 'ABCDE-FGHJK'],
    ['PIN: ', '1234'],
  ] as const) {
    const asked = once(screen, 'data')
    const answer = ask(question)
    await asked
    keyboard.write(`${secret}\r`)
    assert.equal(await answer, secret)
  }
  screen.end()
  await once(screen, 'end')
  assert.equal(shown, 'Code: \nPIN: \n')
})
