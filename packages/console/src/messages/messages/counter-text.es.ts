export const counter = {
  characters: (units: number, room: number) => `${units} de ${room}`,
  encodings: { gsm7: 'GSM-7', ucs2: 'UCS-2' },
  segments: (segments: number) => (segments === 1 ? '1 segmento' : `${segments} segmentos`),
  tooLong: (most: number) => `Más de ${most} segmentos: no se puede enviar`,
  becomes: (letter: string) => `«${letter}» pasa a UCS-2`,
}
