import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { heldBy, holderOf, modemManagerRuns } from './holder.ts'
import { openingFault, openSerialPort } from './port.ts'
import { portsById, portsLike, sticksById } from './ports.ts'

const folder = await mkdtemp(join(tmpdir(), 'serial-'))
after(() => rm(folder, { recursive: true }))

const DEVICE = '/dev/ttyUSB3'

test('a port that ModemManager holds is reported with the remedy', async () => {
  const proc = await procWith({ 1: ['systemd', []], 812: ['ModemManager', ['/dev/null', DEVICE]] })
  const holder = await holderOf(DEVICE, proc)
  assert.deepEqual(holder, { pid: 812, name: 'ModemManager' })
  assert.match(
    heldBy('/dev/serial/by-id/usb-stick', holder!),
    /^\/dev\/serial\/by-id\/usb-stick is held by ModemManager: stop it/,
  )
})

test("a port that another program holds is reported with the program's name", async () => {
  const proc = await procWith({ 977: ['minicom', [DEVICE]] })
  assert.match(
    heldBy(DEVICE, (await holderOf(DEVICE, proc))!),
    /is held by another program: minicom \(process 977\)/,
  )
})

test("a port that no process holds, or only this process, is free; another's port does not matter", async () => {
  assert.equal(await holderOf(DEVICE, await procWith({ 5: ['cat', ['/dev/ttyUSB4']] })), undefined)
  assert.equal(await holderOf(DEVICE, await procWith({ [process.pid]: ['node', [DEVICE]] })), undefined)
  assert.equal(await holderOf(DEVICE, join(folder, 'no-proc')), undefined)
})

test('if the holder cannot be seen, ModemManager is suspected if it runs', async () => {
  const busy = 'Error: Error Resource temporarily unavailable Cannot lock port'
  const suspected = await procWith({ 812: ['ModemManager', []] })
  assert.equal(await modemManagerRuns(suspected), true)
  assert.match(await openingFault(DEVICE, busy, suspected), /held by another program: probably ModemManager/)
  const other = await procWith({ 1: ['systemd', []] })
  assert.match(
    await openingFault(DEVICE, busy, other),
    /held by another program: find it with `sudo fuser -v`/,
  )
})

test('refusals of the operating system are explained with the remedy', async () => {
  const fault = (message: string): Promise<string> => openingFault(DEVICE, message, join(folder, 'no-proc'))
  assert.match(await fault('Error: Permission denied, cannot open /dev/ttyUSB3'), /group dialout/)
  assert.match(await fault('Error: No such file or directory, cannot open x'), /is the modem plugged in\?/)
  assert.equal(await fault('Error: Out of luck'), '/dev/ttyUSB3 cannot be opened: Out of luck')
})

test("the real library's refusals of a missing port, and of a file that is not a port, are explained", async () => {
  const missing = join(folder, 'usb-missing')
  await assert.rejects(openSerialPort(missing, 115_200), {
    message: `${missing} is not there: is the modem plugged in?`,
  })
  const file = join(folder, 'file')
  await writeFile(file, '')
  await assert.rejects(openSerialPort(file, 115_200), { message: `${file} is not a serial port` })
})

test('ports are found by hardware name, in order', async () => {
  const byId = join(folder, 'by-id')
  await mkdir(byId)
  for (const name of ['usb-HUAWEI_Mobile-if02-port0', 'usb-HUAWEI_Mobile-if00-port0', 'usb-SimTech-if03'])
    await symlink(DEVICE, join(byId, name))
  assert.deepEqual(
    (await portsById(byId)).map((port) => port.slice(byId.length + 1)),
    ['usb-HUAWEI_Mobile-if00-port0', 'usb-HUAWEI_Mobile-if02-port0', 'usb-SimTech-if03'],
  )
  assert.deepEqual(await portsLike(join(byId, 'usb-HUAWEI*')), [
    join(byId, 'usb-HUAWEI_Mobile-if00-port0'),
    join(byId, 'usb-HUAWEI_Mobile-if02-port0'),
  ])
  assert.deepEqual(await portsLike(join(byId, 'usb-Quectel*')), [])
  assert.deepEqual(await sticksById(byId), [
    join(byId, 'usb-HUAWEI_Mobile-if*'),
    join(byId, 'usb-SimTech-if03'),
  ])
  assert.deepEqual(await portsLike('/dev/ttyUSB0'), ['/dev/ttyUSB0'])
  assert.deepEqual(await portsById(join(folder, 'nothing')), [])
})

let procs = 0

/** A folder like /proc: each process with its name and its open files. */
async function procWith(processes: Record<number, [name: string, open: string[]]>): Promise<string> {
  const proc = join(folder, `proc-${++procs}`)
  for (const [pid, [name, open]] of Object.entries(processes)) {
    await mkdir(join(proc, pid, 'fd'), { recursive: true })
    await writeFile(join(proc, pid, 'comm'), `${name}\n`)
    for (const [fd, target] of open.entries()) await symlink(target, join(proc, pid, 'fd', String(fd)))
  }
  await mkdir(join(proc, 'sys'), { recursive: true })
  return proc
}
