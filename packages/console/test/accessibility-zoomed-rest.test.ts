import { testEveryPlace } from './every-place.ts'

testEveryPlace('zoomed', 'second')
