import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { median } from './statistics.ts'

/** The machine of a run. */
export type Machine = {
  cpu: string
  cores: number
  memory_gib: number
  kernel: string
  node: string
  /** Time to write 4 KiB and sync it to disk, in the folder of the databases. */
  fsync_ms: number
}

export function describeMachine(folder: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    kernel: `Linux ${/\d+\.\d+/.exec(release())?.[0]}`,
    node: process.version,
    fsync_ms: timeFsync(folder),
  }
}

/** The mean number of running or runnable processes in the last minute. */
export function load(): number {
  return loadavg()[0]!
}

/**
 * Starts observing; the returned function gives the share of a core that the host has given to other machines since.
 */
export function watchStolen(): () => number {
  const read_us = () => parseStolen(readFileSync('/proc/stat', 'utf8'))
  const [began, before_us] = [performance.now(), read_us()]
  return () => (read_us() - before_us) / ((performance.now() - began) * 1_000)
}

/** From `/proc/stat`, in µs of all cores: time that a virtual machine wanted and did not get. */
export function parseStolen(stat: string): number {
  return Number(/^cpu (?: \d+){7} (\d+)/m.exec(stat)?.[1]) * TICK_US
}

/** The median of 100, in ms. */
export function timeFsync(parent: string): number {
  const folder = mkdtempSync(join(parent, 'fsync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const bytes = Buffer.alloc(4_096, 1)
  const times = Array.from({ length: 100 }, () => {
    const began = performance.now()
    writeSync(file, bytes)
    fdatasyncSync(file)
    return performance.now() - began
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(times)
}

/** Linux counts processor time in /proc in hundredths of a second, on every architecture. */
const TICK_US = 10_000

/** Processor time of a process since its start, with all threads, in µs. */
export function cpuOf(pid: number): number {
  return parseCpu(statOf(pid))
}

/** The same of its main thread only. */
export function mainThreadCpuOf(pid: number): number {
  return parseCpu(readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8'))
}

/** From `/proc/<pid>/stat`: user and system time. */
export function parseCpu(stat: string): number {
  const fields = fieldsOf(stat)
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** The same for a process and all its children, including ended ones. */
export function cpuOfAll(pid: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => (Number(name) === pid ? statOf(pid) : childStatOf(Number(name), pid)))
  return parseReapedCpu(statOf(pid)) + stats.reduce((sum, stat) => sum + (stat ? parseCpu(stat) : 0), 0)
}

/** A process may end in between: its time then appears among that of the ended children, next time. */
function childStatOf(pid: number, parent: number): string | undefined {
  try {
    const stat = statOf(pid)
    return parentIn(stat) === parent ? stat : undefined
  } catch {
    return undefined
  }
}

/** The parent process, if it has this name and is on this machine. */
export function parentOf(pid: number, name: string): number | undefined {
  try {
    const stat = statOf(pid)
    return stat.includes(`(${name}`) ? parentIn(stat) : undefined
  } catch {
    return undefined
  }
}

function statOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
}

function parentIn(stat: string): number {
  return Number(fieldsOf(stat)[1])
}

/** Of the children that have ended. */
export function parseReapedCpu(stat: string): number {
  const fields = fieldsOf(stat)
  return (Number(fields[13]) + Number(fields[14])) * TICK_US
}

/** The fields after the name, which may contain blanks and brackets. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The resident memory of a process, in MiB. */
export function residentOf(pid: number): number {
  return parseResident(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

/** From `/proc/<pid>/status`, which has it in kB. */
export function parseResident(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}
