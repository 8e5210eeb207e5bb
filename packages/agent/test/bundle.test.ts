import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { membership, temporaryFolder } from '#test/agents.ts'
import { openEndpoint } from '#test/endpoint.ts'

const BUILD = join(import.meta.dirname, '../scripts/build.ts')

/** Outside of any node_modules. */
const folder = join(temporaryFolder({ after }), 'package')
const agent = join(folder, 'agent.mjs')

before(() => {
  const { status, stderr } = spawnSync(process.execPath, [BUILD, folder], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

const run = (...args: string[]) =>
  spawnSync(process.execPath, [agent, ...args], { encoding: 'utf8', cwd: folder })

test('the agent is one file that needs only Node, and native code for modems', () => {
  const source = readFileSync(agent, 'utf8')
  assert.ok(source.startsWith('#!/usr/bin/env node\n'))
  const imported = [
    ...source.matchAll(/^import .*from "([^"]+)";$/gm),
    ...source.matchAll(/[^.\w]import\("([^"]+)"\)/g),
  ]
  const foreign = [...new Set(imported.map(([, name]) => name!))].filter((name) => !isBuiltin(name))
  const { bin, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: Record<string, string>
    dependencies: Record<string, string>
  }
  assert.deepEqual(foreign.sort(), Object.keys(dependencies).sort())
  assert.ok(existsSync(join(folder, bin['sdd-agent']!)))
  assert.match(readFileSync(join(folder, 'LICENSES.txt'), 'utf8'), /^mqtt 5\.[\d.]+\n=+\n[^]*MIT/m)
})

test('it lists its commands and their options', () => {
  const { status, stdout } = run('--help')
  assert.equal(status, 0)
  for (const command of ['link', 'run', 'doctor', 'send', 'forget'])
    assert.match(stdout, new RegExp(`sdd-agent ${command}`))
  for (const driver of ['modem', 'termux', 'android-gateway', 'simulated']) {
    assert.match(run('link', '--help').stdout, new RegExp(`--driver ${driver}: `))
  }
})

test('its version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const { stdout, status } = run('doctor', '--dir', join(folder, 'none'))
  assert.ok(stdout.startsWith(`sdd-agent ${version}, folder ${join(folder, 'none')}\n`), stdout)
  assert.equal(status, 1)
  assert.match(stdout, /WRONG no device is linked/)
})

test('it connects to a server and sends', async (t) => {
  const endpoint = await openEndpoint()
  t.after(() => endpoint.close())
  const dir = join(folder, 'agent')
  mkdirSync(dir)
  const linked = membership('d1', endpoint.mqtt_url, {
    driver: 'simulated',
    settings: { number: '+34611000111' },
  })
  writeFileSync(join(dir, 'devices.json'), JSON.stringify({ devices: [linked] }), { mode: 0o600 })
  const child = spawn(process.execPath, [agent, 'run', '--dir', dir], { stdio: 'inherit' })
  t.after(() => child.kill('SIGKILL'))
  await endpoint.until('connected', () => endpoint.connected('d1'))
  endpoint.hand('d1', { guid: 'g1', text: `El pedido está en camino. ${'x'.repeat(160)}` })
  await endpoint.until('delivered', () => endpoint.states('g1').includes('delivered'), 60_000)
  assert.deepEqual(endpoint.states('g1'), ['accepted', 'sent', 'delivered'])
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert.deepEqual(endpoint.breaches, [])
})
