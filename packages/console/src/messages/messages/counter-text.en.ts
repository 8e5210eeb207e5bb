export const counter = {
  characters: (units: number, room: number) => `${units} of ${room}`,
  encodings: { gsm7: 'GSM-7', ucs2: 'UCS-2' },
  segments: (segments: number) => (segments === 1 ? '1 segment' : `${segments} segments`),
  tooLong: (most: number) => `More than ${most} segments: cannot be sent`,
  becomes: (letter: string) => `“${letter}” changes it to UCS-2`,
}
