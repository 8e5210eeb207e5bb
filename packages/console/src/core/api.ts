import { CallFault, openClient, type Client, type Input } from '@sdd/contract/core/client.ts'
import type { Parsed, Route } from '@sdd/contract/core/route.ts'
import { noteDuty } from '#console/core/duty.ts'
import { askForProof } from '#console/core/proof.ts'
import { faults } from '#console/core/fault-text.ts'
import { expireSession, readSession } from '#console/core/session.ts'
import { text } from '#console/core/text.ts'

/** Never aborts: the browser waits as long as the server takes. */
const PATIENT = new AbortController().signal

/**
 * Calls a route of the contract with the session's token. The reply is parsed with the route's own schema, or by
 * `read`: a server may send only the user specification's fields, and parsing long lists is too slow. If the server
 * wants the user to prove their identity, the console asks the user and repeats the call. Rejects with a CallFault; a
 * 401 also ends the session.
 */
export async function callApi<R extends Route, Reply = Parsed<R['reply']>>(
  route: R,
  input: Input<R>,
  read: (body: unknown) => Reply = (body) => route.reply?.parse(body) as Reply,
): Promise<Reply> {
  const ask = () => withSession(route, (client) => client.load(route, { signal: PATIENT, ...input }))
  const body = await ask().catch(async (fault: unknown) => {
    if (wantsProof(fault) && (await askForProof())) return ask()
    throw fault
  })
  return read(body)
}

/**
 * Downloads a route's CSV file unparsed, with the server's file name. `onBytes` gets the number of bytes so far.
 * Rejects as callApi does, also if the reply is cut off.
 */
export async function download<R extends Route>(
  route: R,
  input: Input<R>,
  onBytes: (bytes: number) => void,
): Promise<{ file: Blob; name: string | undefined }> {
  const { signal = PATIENT } = input
  const response = await withSession(route, (client) =>
    client.request(route, { ...input, signal }, 'text/csv'),
  )
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/csv') || !response.body) throw new CallFault(type, { status: 502 })
  const reader = response.body.getReader()
  const parts: BlobPart[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw signal.aborted ? cause : new CallFault('The file was cut off', { cause })
    })
    if (done) return { file: new Blob(parts, { type }), name: nameIn(response) }
    parts.push(value)
    bytes += value.length
    onBytes(bytes)
  }
}

function nameIn(response: Response): string | undefined {
  return /filename="?([\w.-]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1]
}

/** Sends with the session's token, and records what a refusal says about the session. */
async function withSession<Reply>(route: Route, ask: (client: Client) => Promise<Reply>): Promise<Reply> {
  const token = route.may === 'anyone' ? undefined : readSession()?.token
  const askedAt_ms = performance.now()
  try {
    return await ask(openClient({ url: location.origin, token }))
  } catch (fault) {
    if (token && fault instanceof CallFault) {
      if (fault.status === 401) expireSession(token)
      if (fault.status === 403) noteDuty(fault.code, token, askedAt_ms)
    }
    throw fault
  }
}

/** Whether the server wants the user to prove their identity. If a call still fails with this, the user declined. */
export function wantsProof(fault: unknown): boolean {
  return fault instanceof CallFault && fault.code === 'proof_required'
}

/**
 * Why a call failed: the server's detail, or in a chosen language a sentence about its code; that there was no answer;
 * or `otherwise`. Empty if the user declined to prove who they are, as they know why.
 */
export function faultText(fault: unknown, otherwise: string): string {
  if (!(fault instanceof CallFault)) return otherwise
  if (wantsProof(fault)) return ''
  return fault.status === 0 ? text.noReply : (faults.refusal(fault) ?? otherwise)
}

/** The error of each invalid field, by the field's name. */
export function fieldErrors(fault: unknown): Readonly<Record<string, string>> {
  return fault instanceof CallFault ? faults.fields(fault) : {}
}

/** The rows of a list, bare or wrapped under its own name or `data`. Items that are not objects are left out. */
export function rowsOf<Row>(body: unknown, name: string): Row[] {
  const wrapped = body as Record<string, unknown> | null | undefined
  const rows = Array.isArray(body) ? body : (wrapped?.[name] ?? wrapped?.data)
  if (!Array.isArray(rows)) throw new CallFault(`no ${name}`, { status: 200 })
  return rows.filter((row) => typeof row === 'object' && row !== null) as Row[]
}
