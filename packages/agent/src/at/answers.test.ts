import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  readIccid,
  readIdentity,
  readList,
  readMessage,
  readOperator,
  readOwnNumber,
  readPinState,
  readSignal,
  readSmsc,
} from './answers.ts'

const PDU = '07919730071111F1000B919746121611F10000811170021222230DC8329BFD6681EE6F399B1C02'

test('a list is read without the name field, with the PDU behind the header, and with a wrong length', () => {
  for (const lines of [
    ['+CMGL: 3,1,99', PDU],
    ['+CMGL: 3,1,"",24', PDU],
    ['+CMGL:3,1,"Ana",24', PDU],
    [`+CMGL: 3,1,,24 ${PDU}`],
  ])
    assert.deepEqual(readList(lines), [{ index: 3, status: 1, pdu: PDU }])
})

test('a header without its PDU does not affect the other messages of the list', () => {
  assert.deepEqual(readList(['+CMGL: 1,1,,24', '+CMGL: 2,0,,24', PDU]), [{ index: 2, status: 0, pdu: PDU }])
})

test('an empty slot has no message', () => {
  assert.equal(readMessage([]), undefined)
  assert.equal(readMessage(['+CMGR: 0,,0']), undefined)
})

test('a message is read without the name field', () => {
  assert.deepEqual(readMessage(['+CMGR: 1,24', PDU]), { status: 1, pdu: PDU })
})

test('the signal is in dBm, and null if the modem does not know it', () => {
  assert.equal(readSignal('+CSQ: 17,99'), -79)
  assert.equal(readSignal('+CSQ: 0,0'), -113)
  assert.equal(readSignal('+CSQ: 99,99'), null)
  assert.equal(readSignal('+CSQ: '), null)
})

test('the operator is read, with the radio access if the modem names it', () => {
  assert.deepEqual(readOperator('+COPS: 0,0,"Movistar",7'), { operator: 'Movistar', access: 'LTE' })
  assert.deepEqual(readOperator('+COPS: 1,2,"21407"'), { operator: '21407', access: null })
  assert.deepEqual(readOperator('+COPS: 0,0,"Orange",13'), { operator: 'Orange', access: '5G NR' })
  assert.deepEqual(readOperator('+COPS: 0'), { operator: null, access: null })
})

test("the SIM's own number is read with and without a name, and gets the + that its type implies", () => {
  assert.equal(readOwnNumber(['+CNUM: "","+34600111222",145']), '+34600111222')
  assert.equal(readOwnNumber(['+CNUM: "Voz","34600111222",145,7,4']), '+34600111222')
  assert.equal(readOwnNumber(['+CNUM: ,"600111222",129']), '600111222')
  assert.equal(readOwnNumber([]), null)
})

test("the ICCID is read in every vendor's form", () => {
  for (const lines of [
    ['+CCID: "8934071234567890123"'],
    ['8934071234567890123F'],
    ['^ICCID: 8934071234567890123'],
    ['+QCCID: 8934071234567890123'],
  ])
    assert.equal(readIccid(lines), '8934071234567890123')
  assert.equal(readIccid(['ERROR']), null)
})

test('IMEI and IMSI are read bare and behind a prefix', () => {
  assert.equal(readIdentity(['356938035643809']), '356938035643809')
  assert.equal(readIdentity(['+CGSN: "356938035643809"']), '356938035643809')
  assert.equal(readIdentity(['not known']), null)
})

test('the SMS centre is read with the + that its type implies; an empty one is null', () => {
  assert.equal(readSmsc('+CSCA: "+34656000311",145'), '+34656000311')
  assert.equal(readSmsc('+CSCA: "34656000311",145'), '+34656000311')
  assert.equal(readSmsc('+CSCA: "",129'), null)
})

test('the state of the SIM is read', () => {
  assert.equal(readPinState(['+CPIN: READY']), 'READY')
  assert.equal(readPinState(['+CPIN: SIM PIN']), 'SIM PIN')
  assert.equal(readPinState(['+CPIN: NOT READY']), 'NOT READY')
  assert.equal(readPinState(['+CSQ: 1,1']), null)
})
