import type { Schema, Written } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'
import { quick } from './request.ts'

declare const reply: unique symbol

/**
 * A reply that was checked and serialised as JSON (UTF-8) by its producer. For a long reply that is another thread, so
 * this one only has to send it.
 */
export type WrittenReply<Reply> = Uint8Array<ArrayBuffer> & { readonly [reply]?: Reply }

/** Throws if the reply breaks the contract, as a route does. */
export function writeReply<S extends Schema>(schema: S, value: Written<S>): WrittenReply<Written<S>> {
  // Not a `Buffer`, which may share its memory. This array can be transferred to another thread.
  return new TextEncoder().encode(JSON.stringify(z.parse(quick(schema), value)))
}
