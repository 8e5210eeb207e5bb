import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Down } from '#test/things.ts'
import { isUnreachable, openReach } from './reach.ts'

const withCode = (code: string) => Object.assign(new Error('from Node'), { code })

const gone: Record<string, readonly string[]> = {
  'of a socket': ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'],
  'of the name server': ['EAI_AGAIN', 'ENOTFOUND'],
  'of a certificate': [
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  'of the handshake': ['ERR_SSL_WRONG_VERSION_NUMBER'],
}
for (const [which, codes] of Object.entries(gone)) {
  test(`with an error ${which} the database cannot be reached`, (t) => {
    for (const code of codes) {
      const reach = openReach({
        log: undefined,
        probe: async () => {},
        unavailable: (why) => new Down(why),
      })
      t.after(reach.stop)
      const told = reach.toCallerError(withCode(code)) as Down
      assert.equal(told.code, 'not_ready', code)
      assert.match(told.message, new RegExp(`cannot be reached \\(${code}\\)`))
      assert.equal(reach.standing(), told)
    }
  })
}

test('an error of the program itself does not say that the database cannot be reached', () => {
  for (const code of ['ERR_INVALID_ARG_TYPE', 'not_ready', 'ABORT_ERR'])
    assert.equal(isUnreachable(withCode(code)), false, code)
  assert.equal(isUnreachable(new TypeError('the timeout is not a number')), false)
})
