import type { IncomingMessage } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { HttpError } from './errors.ts'
import type { Limits } from './limits.ts'

/** A method, and a path that may have named parts (`/things/:id`) or end in a wildcard (`/*`). */
export type RouteKey = { readonly method: string; readonly path: string }

/** The named parts of a path, decoded. A wildcard's part is called `*`. */
export type Params = Readonly<Record<string, string>>

type Router<Target> = {
  /** Throws if there is already a target for this method and path. */
  add(key: RouteKey, target: Target): void
  /** Throws `malformed` if an escape in the path is incomplete or not UTF-8. */
  find(request: IncomingMessage): { target: Target; params: Params } | undefined
}

/** Finds the most specific route for a path. Escapes are decoded first; case and trailing slashes matter. */
export function openRouter<Target>({ header_bytes }: Pick<Limits, 'header_bytes'>): Router<Target> {
  const router = findMyWay({
    maxParamLength: header_bytes, // the route decides about a long part
    querystringParser: () => undefined,
    onBadUrl: () => {},
  })
  return {
    add({ method, path }, target) {
      try {
        router.on(method as HTTPMethod, path, () => {}, target)
      } catch (cause) {
        throw new Error(`${method} ${path} cannot be served`, { cause })
      }
    },
    find({ method, url }) {
      const found = router.find(method as HTTPMethod, url!)
      if (found === null) return undefined
      if (found.store === null) throw new HttpError('malformed', 'The request is malformed.') // `onBadUrl`
      return { target: found.store as Target, params: found.params as Params }
    },
  }
}
