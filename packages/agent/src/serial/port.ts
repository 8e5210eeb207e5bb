import { realpath } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import type { AutoDetectTypes } from '@serialport/bindings-cpp'
import type { SerialPortStream } from '@serialport/stream'
import { messageOf } from '#agent/say.ts'
import { heldBy, holderOf, LET_GO_OF_MODEMS, modemManagerRuns } from './holder.ts'

/**
 * Opens a serial port: 8 bits, no parity, one stop bit, raw. Destroying the stream closes it. Rejects with a sentence
 * that names the obstacle and the remedy.
 */
export async function openSerialPort(path: string, baud: number): Promise<Duplex> {
  const device = await realpath(path).catch(() => undefined)
  const holder = device === undefined ? undefined : await holderOf(device)
  if (holder) throw new Error(heldBy(path, holder))
  const { autoDetect, SerialPortStream } = await loadLibrary()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const port = new SerialPortStream(
    // With hupcl, closing would drop DTR, which makes some modems hang up or restart.
    { binding: autoDetect(), path, baudRate: baud, hupcl: false },
    (error) => (error ? reject(error) : resolve()),
  )
  try {
    await promise
  } catch (error) {
    throw new Error(await openingFault(path, messageOf(error)))
  }
  takeUpEvents(port)
  return Object.assign(port, {
    // The library closes the device only in close(), not when the stream is destroyed.
    _destroy(error: Error | null, done: (error: Error | null) => void) {
      if (port.isOpen) port.close(() => done(error))
      else done(error)
    },
  })
}

const HEARTBEAT_MS = 20

/**
 * With Node 26.4 and later, the events of the native part are processed only after another event
 * (serialport/bindings-cpp, pull request 239). An answer would wait for the next timer. So this adds an event.
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

/** Loaded only here, because an agent without a modem does not need the native part. */
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

/** Explains the operating system's refusal to a person. */
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
    return `${path} is not a serial port`
  return `${path} cannot be opened: ${message.replace(/^Error:?\s*/, '')}`
}
