import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

/** The readable part of a write-ahead log. */
type Intact = {
  /** The length of the intact part of the file. */
  bytes: number
  /** Later transactions that were certainly on disk and answered. */
  lost: number
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit is the byte order of the checksums: 1 for big-endian, 0 for little-endian. */
const MAGIC = 0x377f0682

/**
 * Reads the write-ahead log at `path` as SQLite does (https://sqlite.org/fileformat2.html#walformat): up to the first
 * frame with a wrong checksum. SQLite takes that frame for the torn end of a crash and silently ignores the rest. A
 * crash can tear off at most one transaction, because each is on disk before the next begins. `lost` counts the others,
 * which no crash explains. `undefined` if there is no log, or it has no commit.
 */
export function readIntact(path: string): Intact | undefined {
  if (!existsSync(path)) return undefined
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size <= HEADER_BYTES) return undefined
    const header = read(file, 0, HEADER_BYTES)
    if (words(header).every((word) => word === 0)) return undefined
    const little_endian = header.getUint32(0) === MAGIC
    const begin = checksum(header, 0, 24, little_endian, [0, 0])
    if (!isChecksum(header, 24, begin) || (header.getUint32(0) & ~1) >>> 0 !== MAGIC)
      return { bytes: 0, lost: 1 }
    return walk(file, { size, header, little_endian, begin })
  } finally {
    closeSync(file)
  }
}

type Sum = readonly [number, number]

function walk(
  file: number,
  {
    size,
    header,
    little_endian,
    begin,
  }: { size: number; header: DataView; little_endian: boolean; begin: Sum },
): Intact {
  const frame_bytes = FRAME_HEADER_BYTES + header.getUint32(8)
  let sum = begin
  let whole = true
  let [bytes, commits_behind] = [HEADER_BYTES, 0]
  for (let at = HEADER_BYTES; at + frame_bytes <= size; at += frame_bytes) {
    const frame = read(file, at, whole ? frame_bytes : FRAME_HEADER_BYTES)
    const current =
      frame.getUint32(8) === header.getUint32(16) && frame.getUint32(12) === header.getUint32(20)
    if (whole) {
      sum = checksum(frame, 0, 8, little_endian, sum)
      sum = checksum(frame, FRAME_HEADER_BYTES, frame_bytes, little_endian, sum)
      whole = current && isChecksum(frame, 16, sum)
      if (whole) bytes = at + frame_bytes
    }
    // Frames from an earlier use of the file have other salts. A frame with a database size ends a transaction.
    if (!whole && current && frame.getUint32(4) !== 0) commits_behind++
  }
  return { bytes, lost: Math.max(0, commits_behind - 1) }
}

function read(file: number, at: number, bytes: number): DataView {
  const view = new DataView(new ArrayBuffer(bytes))
  readSync(file, view, 0, bytes, at)
  return view
}

function words(view: DataView): number[] {
  return Array.from({ length: view.byteLength / 4 }, (_, n) => view.getUint32(4 * n))
}

function checksum(view: DataView, from: number, to: number, little_endian: boolean, [a, b]: Sum): Sum {
  for (let at = from; at < to; at += 8) {
    a = (a + view.getUint32(at, little_endian) + b) >>> 0
    b = (b + view.getUint32(at + 4, little_endian) + a) >>> 0
  }
  return [a, b]
}

function isChecksum(view: DataView, at: number, [a, b]: Sum): boolean {
  return view.getUint32(at) === a && view.getUint32(at + 4) === b
}
