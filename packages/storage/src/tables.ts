/** Rows of tables as types: a schema is a record of them, by the name of the table. */

declare const generated: unique symbol

/** A column that has a default: it may be left out when a row is inserted. */
export type Generated<T> = { readonly [generated]: T }

type Column<T> = T extends Generated<infer Plain> ? Plain : T

type MayBeLeftOut<Row> = {
  [Name in keyof Row]: Row[Name] extends Generated<unknown> ? Name : null extends Row[Name] ? Name : never
}[keyof Row]

/** A row as it is read. */
export type Selectable<Row> = { [Name in keyof Row]: Column<Row[Name]> }

/** A row as it is inserted: what has a default or may be null may be left out. */
export type Insertable<Row> = {
  [Name in Exclude<keyof Row, MayBeLeftOut<Row>>]: Column<Row[Name]>
} & { [Name in MayBeLeftOut<Row>]?: Column<Row[Name]> | undefined }

/** Columns to change, with their new values. */
export type Updateable<Row> = { [Name in keyof Row]?: Column<Row[Name]> | undefined }
