import pg from 'pg'
import { rowMaker } from '#storage/row-maker.ts'

export type Result = { rows: unknown[]; command: string }

/** A statement, and its caller. It is prepared under its name, if it has one. */
export type Asked = {
  text: string
  values: readonly unknown[]
  name: string | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

/** What makes the rows of each prepared statement, by its name. */
export type RowMakers = Map<string, RowMaker>
type RowMaker = (values: readonly unknown[]) => object
/** Makes a value of PostgreSQL's text for it. */
export type ParseText = (text: string) => unknown
type Field = { name: string; dataTypeID: number }

/** The messages of `pg` to the server, and the statements that the session has prepared, or will have. */
type Wire = {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { text: string; name: string | undefined }): void
  bind(portal: { statement: string | undefined; values: (string | Buffer | null)[] }): void
  describe(portal: { type: 'P' }): void
  execute(portal: object): void
  sync(): void
}

/**
 * Statements that are sent together end with one Sync, so PostgreSQL also answers them together: each answer of its
 * own is a system call there, and wakes this process. After a failed statement PostgreSQL skips the rest, so all of
 * them are rejected with its error. Outside a transaction they form one
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING).
 */
export class Batch extends pg.Query {
  readonly #asked: readonly Asked[]
  readonly #makers: RowMakers
  readonly #typeParser: (oid: number) => ParseText
  /** Of the statement that is answered now: its index, what makes its rows, and its rows so far. */
  #index = 0
  #maker: RowMaker | undefined
  #rows: unknown[] = []
  /** `pg` reads these two of the statement that is answered now, and sets the third. */
  declare name: string | undefined
  declare text: string
  declare callback: ((error: unknown) => void) | undefined

  constructor(asked: readonly Asked[], makers: RowMakers, typeParser: (oid: number) => ParseText) {
    super({ text: '' })
    this.#asked = asked
    this.#makers = makers
    this.#typeParser = typeParser
    this.#expect()
  }

  override submit = (connection: unknown): void => {
    const wire = connection as Wire
    wire.stream.cork()
    for (const { text, values, name } of this.#asked) {
      if (name === undefined) wire.parse({ text, name })
      else if ((wire.parsedStatements[name] ?? wire.submittedNamedStatements[name]) === undefined) {
        wire.parse({ text, name })
        wire.submittedNamedStatements[name] = text
      }
      wire.bind({ statement: name, values: values.map(written) })
      if (name === undefined || !this.#makers.has(name)) wire.describe({ type: 'P' })
      wire.execute({})
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#maker = makerOf(fields, this.#typeParser)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#rows.push(this.#maker!(fields))
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name, resolve } = this.#asked[this.#index]!
    if (name !== undefined && !this.#makers.has(name)) this.#makers.set(name, this.#maker ?? NO_ROWS)
    const rows = this.#rows
    this.#index++
    this.#expect()
    resolve({ rows, command: text })
  }

  handleReadyForQuery(): void {
    this.callback?.(null)
  }

  handleError(error: unknown, connection: unknown): void {
    const unanswered = this.#asked.slice(this.#index)
    this.#index = this.#asked.length
    for (const { name, reject } of unanswered) {
      if (name !== undefined) delete (connection as Wire).submittedNamedStatements[name]
      reject(error)
    }
    this.callback?.(error)
  }

  /** Prepares for the answer to the next statement. */
  #expect(): void {
    const next = this.#asked[this.#index]
    this.name = next?.name
    this.text = next?.text ?? ''
    this.#maker = next?.name === undefined ? undefined : this.#makers.get(next.name)
    this.#rows = []
  }
}

/** Of a statement that returns no rows. */
const NO_ROWS: RowMaker = () => ({})

/** Of PostgreSQL's types (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const TEXT = 25

function makerOf(fields: readonly Field[], typeParser: (oid: number) => ParseText): RowMaker {
  const valueOf = (index: number) => {
    const value = `values[${index}]`
    return fields[index]!.dataTypeID === TEXT ? value : `${value} === null ? null : parse[${index}](${value})`
  }
  const parse = fields.map(({ dataTypeID }) => typeParser(dataTypeID))
  return rowMaker(
    fields.map(({ name }) => name),
    valueOf,
    parse,
  )
}

/** A value in PostgreSQL's text format; bytes are sent as they are. */
function written(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value
  if (Array.isArray(value)) return `{${value.map(element).join()}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number)
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `{${value.map(element).join()}}`
  const text = String(value as string)
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`
}
