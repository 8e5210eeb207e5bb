import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

/** Keeps its own thread busy, says so, and then how long its bystander waited. */
const PROGRAM = `
  import { openBystander } from ${JSON.stringify(join(import.meta.dirname, 'bystander.ts'))}
  process.stdin.resume() // the bystander keeps no process alive
  const bystander = openBystander()
  await bystander.longest()
  const until = performance.now() + 1_000
  while (performance.now() < until);
  console.log(await bystander.longest())
  process.stdin.once('data', async () => {
    console.log(await bystander.longest())
    process.exit()
  })`

test('a bystander is delayed by the machine, and not by the work of other threads', async (t) => {
  const program = spawn(process.execPath, ['-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => program.kill('SIGKILL'))
  const said = async () => Number(((await once(program.stdout, 'data')) as [Buffer])[0])
  const beside_busy_ms = await said()
  assert.ok(beside_busy_ms >= 0 && beside_busy_ms < 800, `${beside_busy_ms} ms`)
  await wait(100) // the interval that includes the question does not count
  program.kill('SIGSTOP')
  await wait(500)
  program.kill('SIGCONT')
  await wait(50)
  program.stdin.write('now')
  const stopped_ms = await said()
  assert.ok(stopped_ms > 400, `${stopped_ms} ms`)
})
