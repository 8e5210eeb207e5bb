/** The forms in which a secret could be written: plain, encoded, and as its bytes. */
export function formsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret)
  const random = Buffer.from(secret.replace(/^(sd[a-z]|whsec)_/, ''), 'base64url')
  const forms: Record<string, string> = {
    plain: secret,
    'URL-encoded': encodeURIComponent(secret),
    'as a form has it': new URLSearchParams({ '': secret }).toString().slice(1),
    'in JSON': JSON.stringify(secret).slice(1, -1),
    hex: bytes.toString('hex'),
    reversed: [...secret].reverse().join(''),
    ...inBase64('base64', bytes),
  }
  if (random.length >= 16) {
    forms['its bytes in hex'] = random.toString('hex')
    Object.assign(forms, inBase64('its bytes in base64', random))
  }
  return forms
}

/** The part of a base64 text that is the same at any offset of these bytes and for any surrounding bytes. */
function inBase64(name: string, bytes: Buffer): Record<string, string> {
  const cut = [0, 2, 3]
  return Object.fromEntries(
    cut.flatMap((skip, before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .replace(/=+$/, '')
      const same = text.slice(skip, -1)
      const url = same.replaceAll('+', '-').replaceAll('/', '_')
      return [
        [`${name} (${before})`, same],
        [`${name} for URLs (${before})`, url],
      ]
    }),
  )
}

/** The form in which the text contains the secret, ignoring case except in base64; `undefined` if none. */
export function formIn(text: string, secret: string): string | undefined {
  const small = text.toLowerCase()
  const found = Object.entries(formsOf(secret)).find(([name, form]) =>
    name.includes('base64') ? form.length >= 6 && text.includes(form) : small.includes(form.toLowerCase()),
  )
  return found?.[0]
}
