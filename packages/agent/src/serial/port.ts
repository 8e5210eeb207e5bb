import { realpath } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import type { AutoDetectTypes } from '@serialport/bindings-cpp'
import type { SerialPortStream } from '@serialport/stream'
import { heldBy, holderOf, LET_GO_OF_MODEMS, modemManagerRuns } from './holder.ts'

/**
 * Opens a serial port: 8 bits, no parity, one stop bit, raw. Destroying the stream closes it. Rejects with a sentence that
 * says what is in the way and what to do about it.
 */
export async function openSerialPort(path: string, baud: number): Promise<Duplex> {
  const device = await realpath(path).catch(() => undefined)
  const holder = device === undefined ? undefined : await holderOf(device)
  if (holder) throw new Error(heldBy(path, holder))
  const { autoDetect, SerialPortStream } = await loadLibrary()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const port = new SerialPortStream(
    // hupcl would drop DTR at the end, upon which some modems hang up or start anew.
    { binding: autoDetect(), path, baudRate: baud, hupcl: false },
    (error) => (error ? reject(error) : resolve()),
  )
  try {
    await promise
  } catch (error) {
    throw new Error(await openingFault(path, error instanceof Error ? error.message : String(error)))
  }
  takeUpEvents(port)
  return Object.assign(port, {
    // The library closes the device with close() alone, and not when the stream is destroyed.
    _destroy(error: Error | null, done: (error: Error | null) => void) {
      if (port.isOpen) port.close(() => done(error))
      else done(error)
    },
  })
}

const HEARTBEAT_MS = 20

/**
 * With Node 26.4 and later, what the native part announces is taken up only when something else happens in the event
 * loop (serialport/bindings-cpp, pull request 239): an answer would wait for the next timer. So something happens.
 */
function takeUpEvents(port: SerialPortStream<AutoDetectTypes>): void {
  const native = port.port
  if (native && 'poller' in native) {
    for (const event of ['readable', 'writable', 'disconnect'])
      native.poller.on(event, () => void setImmediate(() => {}))
  } else {
    const heartbeat = setInterval(() => {}, HEARTBEAT_MS)
    port.once('close', () => clearInterval(heartbeat))
  }
}

/** Only now: whoever has no modem needs no native part. */
async function loadLibrary() {
  try {
    const [{ autoDetect }, { SerialPortStream }] = await Promise.all([
      import('@serialport/bindings-cpp'),
      import('@serialport/stream'),
    ])
    return { autoDetect, SerialPortStream }
  } catch (error) {
    throw new Error('the serial port library does not work on this machine', { cause: error })
  }
}

/** What the operating system's refusal means for a person. */
export async function openingFault(path: string, message: string, proc?: string): Promise<string> {
  if (/no such file|ENOENT|file not found/i.test(message))
    return `${path} is not there: is the modem plugged in?`
  if (/permission denied|access denied|EACCES/i.test(message))
    return `this user may not open ${path}: add it to the group dialout (\`sudo usermod -aG dialout $USER\`), and log in again`
  if (/lock|busy|temporarily unavailable/i.test(message)) {
    const remedy = (await modemManagerRuns(proc))
      ? `probably ModemManager, which runs here: ${LET_GO_OF_MODEMS}`
      : 'find it with `sudo fuser -v`, and end it'
    return `${path} is held by another program: ${remedy}`
  }
  if (/not a tty|inappropriate ioctl|unknown error code.*config/i.test(message))
    return `${path} is no serial port`
  return `${path} cannot be opened: ${message.replace(/^Error:?\s*/, '')}`
}
