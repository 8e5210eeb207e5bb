export type Statements = { texts: readonly string[]; values: readonly unknown[] }
export type Work = { module: string; given: unknown }
/** A request to the database thread (see thread.ts): statements, of which the last may have values, or a `WorkerRead`. */
export type Wanted = Statements | Work
export type Asked = Wanted & { id: number }
export type Read = { columns: string[]; rows: unknown[][] }
export type Answered = { id: number } & (
  | Read
  | { answer: unknown }
  | { error: string; errcode: number | undefined }
)
