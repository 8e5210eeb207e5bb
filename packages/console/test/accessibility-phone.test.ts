import { testEveryPlace } from './every-place.ts'

testEveryPlace('phone', 'first')
