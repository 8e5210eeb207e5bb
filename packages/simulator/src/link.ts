import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import {
  createLinkCode,
  linkDevice,
  type LinkedDevice,
  type LinkRequest,
} from '@sdd/contract/fleet/devices.ts'
import { openAccountFile } from '#simulator/accounts.ts'

export type LinkNeeds = {
  /** `http://host:port` of the server. */
  server_url: string
  /** A link code, or the access token of an admin who may create one. Not needed if the file has all devices. */
  code?: string
  token?: string
  /** Devices `<prefix>0001` … `<prefix><count>`. */
  count: number
  prefix: string
  /** Assigned to the devices in turn. */
  locations?: readonly string[]
  /** The file for their uids and secrets, so that a restart uses the same devices. */
  path: string
}

/** Concurrent link requests. A small fleet is linked one by one, so that its ids follow its names. */
const AT_ONCE = 8
const SMALL_FLEET = 50

/**
 * The devices of a fleet, linked with the server if the file does not have them yet. Rejects with an Error whose
 * message a person can act on; devices linked until then are in the file.
 */
export async function linkFleet(needs: LinkNeeds): Promise<LinkedDevice[]> {
  const { server_url, count, prefix, locations, path } = needs
  const accounts = openAccountFile(path)
  const client = openClient({ url: server_url })
  const uids = Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(4, '0')}`)
  const missing = uids.entries().filter(([, uid]) => !accounts.find(uid))
  const wanted = uids.filter((uid) => !accounts.find(uid)).length
  if (wanted > 0) {
    const code = needs.code ?? (await makeCode(needs, wanted))
    const at_once = wanted <= SMALL_FLEET ? 1 : AT_ONCE
    await Promise.all(Array.from({ length: at_once }, () => linkNext(code)))
  }
  return uids.map((uid) => accounts.find(uid)!)

  async function linkNext(code: string): Promise<void> {
    for (const [i, uid] of missing) {
      const location = locations?.[i % locations.length]
      const request: LinkRequest = { code, uid, location }
      const linked = await client.call(linkDevice, { body: request }).catch((error: Error) => {
        throw new Error(`Cannot link ${uid}: ${error.message}${taken(error, uid, path)}`, { cause: error })
      })
      accounts.add(linked)
    }
  }
}

async function makeCode({ server_url, token, count }: LinkNeeds, uses: number): Promise<string> {
  if (!token) throw new Error(`Not linked yet: ${uses} of ${count} devices; a link code is needed`)
  const request = { uses, expires_in_secs: 3_600 }
  const { code } = await openClient({ url: server_url, token }).call(createLinkCode, {
    query: {},
    body: request,
  })
  return code
}

function taken(error: Error, uid: string, path: string): string {
  if (!(error instanceof CallFault) || error.code !== 'uid_taken') return ''
  return ` (${path} has no secret for it: unlink ${uid} on the server, or use another prefix)`
}
