/**
 * Makes a function that builds rows with these columns from lists of values. `valueOf` gives the text of the expression
 * that makes a column's value, by default `values[place]`; it may use `parse[place]`. Rows that are made of names at
 * run time are hash tables: making one takes half as long again, and reading it several times as long as an object
 * whose shape the engine knows.
 */
export function rowMaker(
  columns: readonly string[],
  valueOf: (index: number, column: string) => string = (index) => `values[${index}]`,
  parse: readonly ((text: string) => unknown)[] = [],
): (values: readonly unknown[]) => object {
  const fields = columns.map((column, index) => `${JSON.stringify(column)}: ${valueOf(index, column)}`)
  const text = `return (values) => ({ ${fields.join(', ')} })`
  // oxlint-disable-next-line typescript/no-implied-eval -- the text has only quoted names of columns
  return (new Function('parse', text) as (parse: unknown) => (values: readonly unknown[]) => object)(parse)
}
