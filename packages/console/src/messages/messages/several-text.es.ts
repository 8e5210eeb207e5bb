export const sendSeveral = {
  numbers: 'Teléfonos',
  numbersHint: 'Uno por línea, o separados por comas.',
  one: 'Un solo número',
  counted: (numbers: number) => (numbers === 1 ? '1 número' : `${numbers} números`),
  repeated: (count: number) =>
    count === 1 ? '1 repetido, se envía una vez' : `${count} repetidos, se envían una vez`,
  parts: (each: number, total: string) =>
    `${each === 1 ? '1 segmento' : `${each} segmentos`} por mensaje, ${total} en total`,
  withoutFields: 'sin contar los campos',
  wrong: (numbers: string) => `No son números: ${numbers}`,
  tooMany: (most: number) => `Como máximo ${most} números a la vez. Para más, cree una campaña.`,
  filled: (fields: string) => `Se rellenan con cada contacto: ${fields}`,
  submit: (numbers: number) => (numbers === 1 ? 'Enviar a 1 número' : `Enviar a ${numbers} números`),
  progress: (done: string, total: string) => `Enviando: ${done} de ${total}`,
  stop: 'Parar',
  missing: (field: string) => `El contacto no tiene «${field}», que el mensaje necesita. No se envió.`,
  failed: 'No se pudo enviar.',
  outcome: (sent: number, refused: number) =>
    refused === 0 ? `Aceptados: ${sent}.` : `Aceptados: ${sent}. Rechazados: ${refused}.`,
  accepted: (sent: string, total: string) => `${sent} de ${total} aceptados.`,
  kept: 'Los que no se enviaron siguen en el formulario.',
  partly: 'Envío parcial',
}
