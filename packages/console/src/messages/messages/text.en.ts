import type { CallFault } from '@sdd/contract/core/client.ts'
import { refusalOf } from './refusal.ts'
import { faults } from '#console/core/fault-text.en.ts'

export const send = {
  title: 'Send SMS',
  device: 'Device',
  choose: 'Choose a device',
  phone: 'Phone',
  phonePlaceholder: '+34...',
  message: 'Message',
  submit: 'Send',
  sending: 'Sending…',
  success: 'Message accepted',
  failure: 'The message was not sent',
  accepted: () => 'The message is being sent.',
  answered: (status: string) => `The server answered: “${status}”`,
  refusal: (fault: CallFault) =>
    refusalOf(fault, faults, { device_uid: 'Device', telefono_to: 'Phone', mensaje_sms: 'Message' }),
  unreadable: 'unreadable answer',
  refused: (status: number, statusText: string) => `Error ${status}: ${statusText}`,
  through: 'Device',
  gone: (uid: string) => `${uid} has been disconnected: choose another one.`,
  noneConnected: 'No device is connected now.',
  characters: (units: number, room: number) => `${units} of ${room} characters`,
  segments: (segments: number) => (segments === 1 ? '1 segment' : `${segments} segments`),
  encodings: { gsm7: 'GSM-7', ucs2: 'UCS-2' },
  tooLong: (most: number) => `More than ${most} segments: it cannot be sent`,
}
