export type Engine = 'sqlite' | 'postgres'

/** Where a statement runs. `writing`: in a transaction while other servers may write too. */
export type Place = { readonly engine: Engine; readonly writing: boolean }

export type Value = string | number | null

declare const row: unique symbol
declare const given: unique symbol

/**
 * A statement of a store: SQL text, declared once when its module is loaded. `Row` is the type of its rows, `Given` the
 * type of its values.
 */
export type Statement<Row = unknown, Given = never> = {
  readonly [row]?: Row
  readonly [given]?: (values: Given) => void
  /** The engines that it supports. */
  readonly engines: readonly Engine[]
  /** The names of its optional conditions. */
  readonly optional: readonly string[]
  /** Its text for this place. Each bit of `mask` includes one condition of `optional`, in that order. */
  compile(place: Place, mask: number): Compiled
}

/** The text that the engine gets, with `?1` or `$1` for each value, and the source of each value. */
export type Compiled = {
  readonly text: string
  readonly values: readonly Source[]
  readonly silent: boolean
  /** Its plan is not kept. */
  readonly plannedEachTime: boolean
}

/** A value's name, and the column if it is a list of tuples. */
type Source = { readonly name: string; readonly column: number | undefined }

/** SQL text that depends on its place. */
export type Part = (place: Place) => string

/** SQL text that is included only if the value of this name is given. */
type Condition = { readonly optional: string; readonly pieces: readonly Piece[] }

type Piece = string | Part | Condition

const declared: Statement[] = []

/** Every statement declared by the modules loaded so far. A test prepares each of them on both engines. */
export function declaredStatements(): readonly Statement[] {
  return declared
}

type Declare = <Row = never, Given = NoValues>(
  strings: TemplateStringsArray,
  ...parts: readonly Piece[]
) => Statement<Row, Given>

/**
 * Declares a statement. `:name` stands for the value of that name; use lists with `isIn` or `tuples`. A string among
 * the parts becomes SQL text too, so it must be a constant.
 */
export const sql = declare(['sqlite', 'postgres'])

/** Declares a statement for SQLite only. */
export const sqliteSql = declare(['sqlite'])

/** Declares a statement for PostgreSQL only. */
export const postgresSql = declare(['postgres'])

function declare(engines: readonly Engine[]): Declare {
  return (strings, ...parts) => {
    const statement = statementOf(piecesOf(strings, parts), engines)
    declared.push(statement)
    return statement as never
  }
}

function piecesOf(strings: TemplateStringsArray, parts: readonly Piece[]): Piece[] {
  return strings.flatMap((text, at) => [text, ...parts.slice(at, at + 1)])
}

export type NoValues = Readonly<Record<never, never>>

/** A condition that is part of the statement only if the value `name` is given (not `undefined`). */
export function when(name: string): (strings: TemplateStringsArray, ...parts: readonly Piece[]) => Condition {
  return (strings, ...parts) => ({
    optional: name,
    pieces: piecesOf(strings, parts),
  })
}

/** Text that differs between the engines. */
export function perEngine(texts: Readonly<Record<Engine, string>>): Part {
  return ({ engine }) => texts[engine]
}

/** True if the list `name` contains `column`. The text is the same for every length of the list. */
export function isIn(column: string, name: string): Part {
  return ({ engine }) =>
    engine === 'postgres'
      ? `${column} = any(:${name})`
      : `${column} in (select value from json_each(:${name}))`
}

/** A select of the tuples in the list `name`, whose columns have these types. */
export function tuples(name: string, types: readonly ('bigint' | 'text' | 'double precision')[]): Part {
  const arrays = types.map((type, column) => `cast(:${name}.${column} as ${type}[])`).join(', ')
  const columns = types.map((_, column) => `value ->> ${column}`).join(', ')
  return ({ engine }) =>
    engine === 'postgres' ? `select * from unnest(${arrays})` : `select ${columns} from json_each(:${name})`
}

/**
 * Ends a statement whose best plan depends on its values, such as a page of a company: PostgreSQL plans it at each run.
 * By default, it plans a statement for average values after some runs.
 */
export function plannedEachTime(): Part {
  return ({ engine }) => (engine === 'postgres' ? PLANNED_EACH_TIME : '')
}

const PLANNED_EACH_TIME = '/* planned each time */'

/**
 * At most as many rows as the value `name`. If a limit is a bare parameter, SQLite plans the statement again at each
 * run, which takes twice as long. An expression avoids that.
 */
export function limit(name = 'limit'): Part {
  return ({ engine }) => (engine === 'postgres' ? `limit :${name}` : `limit :${name} + 0`)
}

/**
 * Ends a select and locks its rows of `table` until the commit: other writers wait. It is empty on SQLite, which has a
 * single writer, and outside a write.
 */
export function locked(table: string): Part {
  return ({ writing }) => (writing ? `for no key update of ${table}` : '')
}

/** Like `locked`, but skips rows that another session has locked: for work that any server can do. */
export function lockedOrSkipped(table: string): Part {
  return ({ writing }) => (writing ? `for no key update of ${table} skip locked` : '')
}

/**
 * Ends a select and locks its rows of `table` against changes until the commit. Other sessions may take the same lock.
 */
export function shared(table: string): Part {
  return ({ writing }) => (writing ? `for share of ${table}` : '')
}

/** A statement that is not added to the declared ones, for text made at run time. */
export function statementOf(
  pieces: readonly Piece[],
  engines: readonly Engine[] = ['sqlite', 'postgres'],
): Statement {
  const optional = [...new Set(pieces.flatMap(optionalNames))]
  const compiled = new Map<number, Compiled>()
  return {
    engines,
    optional,
    compile({ engine, writing }, mask) {
      const key = mask * 4 + (engine === 'postgres' ? 2 : 0) + (writing ? 1 : 0)
      let found = compiled.get(key)
      if (found === undefined) {
        const present = optional.filter((_, bit) => mask & (1 << bit))
        found = withPlaceholders(textOf(pieces, { engine, writing }, present), engine)
        compiled.set(key, found)
      }
      return found
    },
  }
}

function optionalNames(piece: Piece): string[] {
  return typeof piece === 'object' ? [piece.optional, ...piece.pieces.flatMap(optionalNames)] : []
}

function textOf(pieces: readonly Piece[], place: Place, present: readonly string[]): string {
  const textOfPiece = (piece: Piece) => {
    if (typeof piece === 'string') return piece
    if (typeof piece === 'function') return piece(place)
    return present.includes(piece.optional) ? textOf(piece.pieces, place, present) : ''
  }
  return pieces.map(textOfPiece).join('')
}

/** A string literal, a PostgreSQL cast, or a named value. */
const NAMED = /'(?:[^']|'')*'|::\w+|:([a-z_]\w*)(?:\.(\d+))?/gi

function withPlaceholders(named: string, engine: Engine): Compiled {
  const places = new Map<string, number>()
  const values: Source[] = []
  const text = named.replaceAll(NAMED, (found, name: string | undefined, column: string | undefined) => {
    if (name === undefined) return found
    const number = places.getOrInsertComputed(found, () =>
      values.push({ name, column: column === undefined ? undefined : Number(column) }),
    )
    return `${engine === 'postgres' ? '$' : '?'}${number}`
  })
  return { text, values, silent: isSilent(text), plannedEachTime: text.includes(PLANNED_EACH_TIME) }
}

/** Whether a statement changes rows and returns none: what its subqueries return does not count. */
function isSilent(text: string): boolean {
  let outer = text
  for (let before = ''; outer !== before;) {
    before = outer
    outer = before.replaceAll(/\([^()]*\)/g, '')
  }
  const verb = /\b(select|values|insert|update|delete)\b/i.exec(outer)?.[1]?.toLowerCase()
  return ['insert', 'update', 'delete'].includes(verb ?? '') && !/\breturning\b/i.test(outer)
}

/** The text of a statement for these values. */
export function compiledFor(statement: Statement, place: Place, values: Given): Compiled {
  let mask = 0
  for (let bit = 0; bit < statement.optional.length; bit++)
    if (values[statement.optional[bit]!] !== undefined) mask |= 1 << bit
  return statement.compile(place, mask)
}

export type Given = Readonly<Record<string, unknown>>

/** The values of a compiled text, in the order of its placeholders. Throws if one is missing. */
export function boundValues({ values: sources, text }: Compiled, engine: Engine, values: Given): unknown[] {
  const bound: unknown[] = []
  for (const { name, column } of sources) {
    const value = values[name]
    if (value === undefined) throw new TypeError(`No value is given for :${name} in: ${text}`)
    bound.push(Array.isArray(value) ? boundList(value, column, engine) : value)
  }
  return bound
}

function boundList(list: readonly unknown[], column: number | undefined, engine: Engine): unknown {
  if (engine === 'sqlite') return JSON.stringify(list)
  return column === undefined ? list : list.map((tuple) => (tuple as readonly unknown[])[column])
}

/** A column's name in SQL. PostgreSQL folds capitals to small letters unless the name is quoted. */
export function columnName(name: string): string {
  return /[A-Z]/.test(name) ? `"${name}"` : name
}
