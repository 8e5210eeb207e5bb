/**
 * The order to the thread that explores a target. The current input is in memory shared with the main thread, which
 * thus knows it even if it never returns or exhausts the memory: its length, the number of started inputs, and its
 * bytes.
 */
export type Order = { name: string; seed: number; until_ms: number; shared: SharedArrayBuffer }

/** The offset of the input's bytes, after two 32-bit numbers. */
export const INPUT_AT = 8
