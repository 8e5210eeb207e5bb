/** Types of table rows. A schema is a record of row types, keyed by table name. */

declare const generated: unique symbol

/** A column with a default: it may be omitted when a row is inserted. */
export type Generated<T> = { readonly [generated]: T }

type Column<T> = T extends Generated<infer Plain> ? Plain : T

type MayBeLeftOut<Row> = {
  [Name in keyof Row]: Row[Name] extends Generated<unknown> ? Name : null extends Row[Name] ? Name : never
}[keyof Row]

/** A row as it is read. */
export type Selectable<Row> = { [Name in keyof Row]: Column<Row[Name]> }

/** A row to insert. Columns that have a default or may be null can be omitted. */
export type Insertable<Row> = {
  [Name in Exclude<keyof Row, MayBeLeftOut<Row>>]: Column<Row[Name]>
} & { [Name in MayBeLeftOut<Row>]?: Column<Row[Name]> | undefined }

/** Columns to change, with their new values. */
export type Updateable<Row> = { [Name in keyof Row]?: Column<Row[Name]> | undefined }
