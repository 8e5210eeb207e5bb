import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Installation, startInstallation } from './installation.ts'
import { SUPERADMIN } from './server-process.ts'

/** The published package @sdd/client, built and installed in a folder of its own, and its command. */
const ROOT = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'sdd-client-'))
const built = join(folder, 'node_modules/@sdd/client')
const readme = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8')

let installation: Installation
let env: NodeJS.ProcessEnv

before(async () => {
  installation = await startInstallation({ devices: 1, behaviour: { send_ms: [1, 5], delivery_ms: [1, 5] } })
  const body = { name: 'client', may: ['tasks:write', 'tasks:read', 'inbox:read'] }
  const made = await installation.api<{ key: string }>('/api/api-keys', body)
  env = { PATH: process.env.PATH, SDD_URL: installation.url, SDD_KEY: made.body.key }
  execFileSync(process.execPath, ['packages/client/scripts/build.ts', built], { cwd: ROOT })
})
after(async () => {
  await installation.stop()
  rmSync(folder, { recursive: true })
})

async function sdd(args: string[], more: NodeJS.ProcessEnv = {}, input = '') {
  const child = promisify(execFile)(process.execPath, [join(built, 'main.js'), ...args], {
    env: { ...env, ...more },
  })
  // A program that refuses its arguments may end before it reads.
  child.child.stdin!.on('error', () => {}).end(input)
  const failed = (error: { code: number; stdout: string; stderr: string }) => error
  const { code, stdout, stderr } = await child.then((said) => ({ code: 0, ...said }), failed)
  return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() }
}

test('the program of the package’s page sends an SMS', async () => {
  const [, code] = /^```js\n(.*?)^```/ms.exec(readme)!
  const args = ['--input-type=module', '--eval', code!]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
  assert.equal(stdout.trim(), 'Your order is on its way.')
})

test('the types of the package are those that a program in TypeScript needs', () => {
  const program = `import { openSdd, type Task } from '@sdd/client'
import { readEvent } from '@sdd/client/webhooks'
const sdd = openSdd({ url: 'http://127.0.0.1:1', key: 'x' })
export const task: Promise<Task> = sdd.task('a')
// @ts-expect-error a number is no text
void sdd.send({ to_number: 600111222, text: 'Hello' })
const event = await readEvent({ headers: new Headers(), body: '', secret: '' })
export const guid: string | undefined = event.type === 'task.sent' ? event.task.guid : undefined
`
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom']
  execFileSync(process.execPath, [tsc, ...flags, 'program.ts'], { cwd: folder, stdio: 'inherit' })
})

test('the published package has no dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as Record<string, unknown>
  assert.deepEqual(
    [manifest.name, manifest.private, manifest.dependencies],
    ['@sdd/client', undefined, undefined],
  )
})

test('sdd sends an SMS and waits for its outcome, with the text from the input too', async () => {
  const sent = await sdd(['send', '+34600111222', 'The backup is done.', '--guid', 'backup-1', '--wait'])
  assert.deepEqual([sent.code, sent.stdout], [0, 'backup-1\ncompleted'])
  const piped = await sdd(['send', '+34600111222', '-'], {}, 'From a pipe.\n')
  const { stdout } = await sdd(['task', piped.stdout])
  assert.equal((JSON.parse(stdout) as { text: string }).text, 'From a pipe.')
})

test('sdd lists and exports tasks', async () => {
  await sdd(['send', '+34600111333', 'One\nof two lines', '--guid', 'listed-1'])
  const { stdout } = await sdd(['tasks', '--search', 'listed-1'])
  assert.match(stdout, /^\S+\t\w+\tlisted-1\t\+34600111333\tOne of two lines$/)
  const exported = await sdd(['export', 'tasks', '--search', 'listed-1'])
  assert.match(exported.stdout, /^GUID,.*\r\nlisted-1,/)
})

test('a person sees devices, and the log while it grows', async () => {
  const person = { SDD_KEY: '', SDD_USER: SUPERADMIN.username, SDD_PASSWORD: SUPERADMIN.password }
  const devices = await sdd(['devices'], person)
  assert.match(devices.stdout, new RegExp(`^${installation.uids[0]}\\tconnected`))
  const follow = spawn(process.execPath, [join(built, 'main.js'), 'log', '--follow'], {
    env: { ...env, ...person },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(follow, 'exit')
  await sdd(['send', '+34600111444', 'Seen in the log'])
  for await (const line of createInterface({ input: follow.stdout }))
    if (/\tdelivered\t.*Seen in the log$/.test(line)) break
  follow.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})

test('a refusal and a wrong command each have their exit status and sentence', async () => {
  const refused = await sdd(['send', 'nobody', 'Hello'])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /to_number must be/)
  assert.equal((await sdd(['send', '600111222'])).code, 2)
  assert.equal((await sdd(['devices'])).code, 1)
  assert.match((await sdd(['tasks'], { SDD_URL: '' })).stderr, /^Set SDD_URL/)
  assert.match((await sdd(['--help'])).stdout, /sdd send NUMBER/)
})
