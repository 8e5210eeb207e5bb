import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Installation, startInstallation } from './installation.ts'
import { proveSession, useVisits } from './visiting.ts'

const ROOT = join(import.meta.dirname, '..')

let installation: Installation
let home: string
const { visit } = useVisits(() => installation)

before(async () => {
  installation = await startInstallation({ devices: 1, behaviour: {} })
  home = mkdtempSync(join(tmpdir(), 'sdd-link-'))
})
after(async () => {
  await installation.stop()
  rmSync(home, { recursive: true })
})

/** Runs a printed command in a shell, as a person would, with a home of its own. */
function inShell(command: string): ChildProcess {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { ...process.env, PATH, HOME: home, XDG_DATA_HOME: home }
  return spawn('sh', ['-c', `exec ${command}`], { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] })
}

test('the commands for a trial without hardware work as printed, and the test SMS is sent', async (t) => {
  const page = await visit(t, '/devices')
  await proveSession(page)
  await page.getByRole('button', { name: 'Link device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link device' })
  await dialog.getByRole('button', { name: 'Crear código' }).click()
  await dialog.getByRole('tab', { name: 'Sin hardware' }).click()
  const [install, link, run] = await dialog.getByRole('listitem').locator('code').allInnerTexts()
  // The tests run in an installed copy.
  const [build] = await once(inShell(install!.replace(/^npm ci && /, '')), 'exit')
  assert.equal(build, 0)
  const [linked] = await once(inShell(link!), 'exit')
  assert.equal(linked, 0)
  await dialog.getByText('disconnected', { exact: true }).waitFor()
  const agent = inShell(run!)
  t.after(async () => {
    agent.kill('SIGTERM')
    if (agent.exitCode === null) await once(agent, 'exit')
  })
  await dialog.getByText('Está conectado y puede enviar.').waitFor()
  await dialog.getByRole('button', { name: 'Enviar un SMS de prueba' }).click()
  const form = page.getByRole('dialog', { name: 'Send SMS' })
  await form.getByPlaceholder('+34...').fill('+34600111222')
  await form.getByLabel('Mensaje').fill('Hola')
  await form.getByRole('button', { name: 'SEND', exact: true }).click()
  await page.getByRole('dialog', { name: 'Envío correcto' }).getByText('SMS enviado vía MQTT').waitFor()
})
