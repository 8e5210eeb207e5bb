import { wording } from '#console/core/language.ts'
import type { CsvEncoding, CsvFault, CsvSeparator } from './csv.ts'

export const csv = wording('csv', {
  file: 'Fichero',
  choose: 'Elegir un CSV',
  drop: 'o suéltelo aquí. Con una columna de números de teléfono.',
  reading: 'Leyendo el fichero…',
  rows: (name: string, rows: string, columns: number) =>
    `${name}: ${rows === '1' ? '1 fila' : `${rows} filas`}, ${columns === 1 ? '1 columna' : `${columns} columnas`}`,
  layout: 'Cómo se lee',
  encoding: 'Codificación',
  encodings: {
    'utf-8': 'UTF-8',
    'windows-1252': 'Windows-1252',
    'utf-16le': 'UTF-16',
  } satisfies Record<CsvEncoding, string>,
  separator: 'Separador',
  separators: { ',': 'Coma ,', ';': 'Punto y coma ;', '\t': 'Tabulador', '|': 'Barra |' } satisfies Record<
    CsvSeparator,
    string
  >,
  titled: 'La primera fila tiene los títulos',
  garbled: 'Hay letras que no se leen bien: pruebe otra codificación.',
  formulas: (count: string) =>
    `${count === '1' ? '1 celda empieza por «=»: se guarda' : `${count} celdas empiezan por «=»: se guardan`} como texto, sin calcular. Si quiere el resultado, guarde el CSV con valores.`,
  unclosed: (line: number) =>
    `En la fila ${line} se abre una comilla que no se cierra, y el resto del fichero quedó en esa celda. Corríjala y elija el fichero de nuevo.`,
  faults: {
    too_large: (name: string, size: string, most: string) =>
      `${name} ocupa ${size} MB y el máximo es ${most} MB: divídalo en varios ficheros. No se ha enviado nada.`,
    empty: (name: string) => `${name} no tiene filas: compruebe que es el fichero correcto.`,
    workbook: (name: string) =>
      `${name} es un libro de hojas de cálculo: ábralo y guárdelo como «CSV UTF-8».`,
    binary: (name: string) => `${name} no es un fichero de texto: guárdelo como CSV.`,
    too_wide: (name: string, _: string, most: string) =>
      `${name} tiene más de ${most} columnas: deje solo las que hacen falta, o cambie el separador.`,
    unreadable: (name: string) => `No se pudo leer ${name}: elíjalo de nuevo.`,
  } satisfies Record<CsvFault, (name: string, size: string, most: string) => string>,
  columns: 'Columnas',
  column: (n: number) => `Columna ${n}`,
  gives: (column: string) => `Qué contiene ${column}`,
  skipped: 'No se importa',
  field: (name: string) => `Campo «${name}»`,
  noExamples: 'vacía',
})
