import { testEveryPlace } from './every-place.ts'

testEveryPlace('desktop', 'second', ['zoomed'])
