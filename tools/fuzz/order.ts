/**
 * What the thread that explores a target is told. The input under way is in memory that the main thread sees, so that one
 * which never comes back, or takes all memory, is known all the same: its length, how many were begun, and its bytes.
 */
export type Order = { name: string; seed: number; until_ms: number; shared: SharedArrayBuffer }

/** Where the bytes of the input begin, behind two numbers of 32 bits. */
export const INPUT_AT = 8
