import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, tmpdir } from 'node:os'
import test from 'node:test'
import {
  cpuOf,
  cpuOfAll,
  mainThreadCpuOf,
  parentOf,
  parseCpu,
  parseReapedCpu,
  parseResident,
  parseStolen,
  residentOf,
  timeFsync,
  watchStolen,
} from './machine.ts'

test('the processor time of a process is read, whatever its name', () => {
  const stat = '4711 (odd) name (x) S 1 4711 4711 0 -1 4194560 900 0 3 0 150 25 7 7 20 0 11 0 9000'
  assert.equal(parseCpu(stat), 1_750_000)
  assert.equal(parseReapedCpu(stat), 140_000)
})

test('resident memory is in MiB', () => {
  assert.equal(parseResident('VmPeak:\t 9999 kB\nVmRSS:\t  204800 kB\nThreads:\t7\n'), 200)
})

test('the time that the host gave to other machines is in µs of all cores', () => {
  const stat = 'cpu  74 6 20 480 16 0 12 229 0 0\ncpu0 37 3 10 240 8 0 6 114 0 0\nintr 5\n'
  assert.equal(parseStolen(stat), 2_290_000)
  const share = watchStolen()()
  assert.ok(share >= 0 && share <= availableParallelism(), `${share}`)
})

test('this process has used some processor time and memory', () => {
  for (const end = performance.now() + 30; performance.now() < end;);
  const own_us = process.cpuUsage()
  assert.ok(Math.abs(cpuOf(process.pid) - own_us.user - own_us.system) < 200_000)
  assert.ok(mainThreadCpuOf(process.pid) <= cpuOf(process.pid))
  assert.ok(residentOf(process.pid) > 10)
})

test('a family’s time is that of its parent and all its children, including ended ones', async () => {
  const before_us = cpuOfAll(process.pid)
  const busy = 'while (process.cpuUsage().user < 300_000);'
  execFileSync(process.execPath, ['-e', busy])
  assert.ok(cpuOfAll(process.pid) - before_us > 250_000)
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  assert.equal(parentOf(child.pid!, 'node'), process.pid)
  assert.equal(parentOf(child.pid!, 'postgres'), undefined)
  child.stdin.end()
  await once(child, 'exit')
})

test('writing to disk takes time', () => {
  assert.ok(timeFsync(tmpdir()) > 0)
})
