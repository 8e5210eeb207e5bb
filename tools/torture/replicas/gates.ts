import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** `held`: no data passes either way, and connections stay open. `cut`: open and new connections are reset. */
export type GateState = 'open' | 'held' | 'cut'

/** A TCP proxy that can be barred. */
export type Gate = {
  readonly port: number
  /** Held data passes when it is opened again; data of cut connections is lost. */
  set(state: GateState): void
  /** Bars the current connections whose first packet contains this text. */
  bar(text: string, state: Exclude<GateState, 'open'>): void
  /** New connections go to the target with the fewest connections. */
  lead(to: readonly Target[]): void
}

/** A port of 127.0.0.1, or the path of a socket. */
type Target = number | string
type Order =
  | { do: 'open'; gate: number; to: Target[] }
  | { do: 'set'; gate: number; state: GateState }
  | { do: 'bar'; gate: number; text: string; state: GateState }
  | { do: 'lead'; gate: number; to: Target[] }

export type Gates = { open(...to: Target[]): Promise<Gate>; stop(): Promise<void> }

/** Gates in a separate thread, so that their traffic never waits for other work. */
export function openGates(): Gates {
  const worker = new Worker(import.meta.filename, { execArgv: [] })
  const tell = (order: Order) => worker.postMessage(order)
  let count = 0
  return {
    async open(...to) {
      const gate = count++
      tell({ do: 'open', gate, to })
      const [port] = (await once(worker, 'message')) as [number]
      return {
        port,
        set: (state) => tell({ do: 'set', gate, state }),
        bar: (text, state) => tell({ do: 'bar', gate, text, state }),
        lead: (targets) => tell({ do: 'lead', gate, to: [...targets] }),
      }
    },
    stop: async () => void (await worker.terminate()),
  }
}

type Way = { client: Socket; upstream: Socket; to: Target; first: Buffer | undefined; held: boolean }

/** One gate, in the thread. */
async function openGate(to: Target[]) {
  const ways = new Set<Way>()
  let targets = to
  let state: GateState = 'open'

  function enter(client: Socket): void {
    client.on('error', () => {})
    if (state === 'cut') return void client.resetAndDestroy()
    go(client, new Set())
  }

  /** Connects to the target with the fewest connections, or the next one if it refuses. */
  function go(client: Socket, tried: Set<Target>): void {
    const load = (target: Target) => [...ways].filter((way) => way.to === target).length
    const [next] = targets.filter((target) => !tried.has(target)).sort((a, b) => load(a) - load(b))
    if (next === undefined) return void client.destroy()
    tried.add(next)
    const upstream = connect(addressOf(next))
    const refused = () => go(client, tried)
    upstream.once('error', refused)
    upstream.once('connect', () => {
      upstream.off('error', refused)
      join({ client, upstream, to: next, first: undefined, held: false })
    })
  }

  function join(way: Way): void {
    const { client, upstream } = way
    ways.add(way)
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (bytes: Buffer) => {
        if (from === client) way.first ??= bytes
        if (!into.write(bytes)) from.pause()
      })
      into.on('drain', () => way.held || from.resume())
      from.on('end', () => into.end())
      from.on('error', () => {})
      from.on('close', () => {
        ways.delete(way)
        into.destroy()
      })
    }
    if (state !== 'open') bar(way, state)
  }

  function bar(way: Way, how: GateState): void {
    way.held = how === 'held'
    if (how === 'cut') way.client.resetAndDestroy() // and the other end with it
    else for (const socket of [way.client, way.upstream]) how === 'held' ? socket.pause() : socket.resume()
  }

  const server = createServer(enter).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    obey(order: Order): void {
      if (order.do === 'lead') targets = order.to
      if (order.do === 'set') {
        state = order.state
        for (const way of ways) bar(way, state)
      }
      if (order.do === 'bar') {
        for (const way of ways) if (way.first?.includes(order.text)) bar(way, order.state)
      }
    },
  }
}

function addressOf(target: Target): NetConnectOpts {
  return typeof target === 'number' ? { host: '127.0.0.1', port: target } : { path: target }
}

if (!isMainThread) {
  const gates = new Map<number, Awaited<ReturnType<typeof openGate>>>()
  const open = async (order: Order & { do: 'open' }) => {
    const gate = await openGate(order.to)
    gates.set(order.gate, gate)
    parentPort!.postMessage(gate.port)
  }
  parentPort!.on('message', (order: Order) => {
    if (order.do === 'open') void open(order)
    else gates.get(order.gate)!.obey(order)
  })
}
