import type { Schema, Written } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'
import { quick } from './request.ts'

declare const reply: unique symbol

/**
 * A reply that was checked and written as JSON (UTF-8) where it was made: a long one in another thread, so that no more is
 * left to this one than to send it.
 */
export type WrittenReply<Reply> = Uint8Array<ArrayBuffer> & { readonly [reply]?: Reply }

/** Throws, as a route does, where the reply is not what the contract says. */
export function writeReply<S extends Schema>(schema: S, value: Written<S>): WrittenReply<Written<S>> {
  // Not a `Buffer`, which may share its memory with others: this one can be handed over to another thread.
  return new TextEncoder().encode(JSON.stringify(z.parse(quick(schema), value)))
}
