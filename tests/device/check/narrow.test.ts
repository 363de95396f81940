/** Faults in parts of words, in struct copies that are judged at once, and at words that a whole group reads. */
import { describeFaults } from './suite.ts';

const SCHEDULES = [0, 1, 2, 3, 4, 5, 6, 7];
const RIGHT = ['halves_right', 'copies_right', 'copies_same', 'words_same', 'common_right'];

const FAULTS = {
  halves_race: ['race', 'writes 2 bytes at byte * of local memory s (512 bytes, declared at {variable}), at {write}'],
  halves_groups: ['race', 'writes 2 bytes at byte 0 of y (4096 bytes, argument 1), at {write}'],
  half_unset: [
    'uninitialised',
    'reads 2 bytes at byte * of local memory s (1024 bytes, declared at {variable}), at {read}',
  ],
  word_unset: [
    'uninitialised',
    'reads 4 bytes at byte * of local memory s (1024 bytes, declared at {variable}), at {read}',
  ],
  odd_overrun: [
    'bounds',
    'writes 2 bytes at byte 510 of local memory s (510 bytes, declared at {variable}), at {write}',
  ],
  copy_overrun: ['bounds', 'reads * bytes at byte * of x (4096 bytes, argument 0), at {read}'],
  words_overrun: ['bounds', 'reads * bytes at byte * of local memory s (1016 bytes, declared at {variable})'],
  copies_race: ['race', 'writes * bytes at byte 0 of y (4096 bytes, argument 1), at {write}'],
  copy_unset: [
    'uninitialised',
    'reads * bytes at byte * of local memory s (4096 bytes, declared at {variable}), at {read}',
  ],
  common_race: ['race', 'bytes at byte * of local memory s (16 bytes, declared at'],
} as const;

describeFaults({ file: 'narrow.cu', schedules: SCHEDULES, faults: FAULTS, right: RIGHT });
