/** Faults in one turn of a loop whose accesses step through memory are told as elsewhere, and what is right stays so. */
import { describeFaults } from './suite.ts';

const SCHEDULES = [0, 1, 2, 5];
const RIGHT = ['tile_right', 'chain_right', 'runs_right', 'runs_halves'];

const FAULTS = {
  tile_race: [
    'race',
    'writes 4 bytes at byte 132 of local memory s (4224 bytes, declared at {variable}), at {variable}; thread (0,0,0) read it at {read}',
  ],
  tile_late: ['race', ' 4 bytes at byte 4112 of local memory s (4224 bytes, declared at {variable}), at '],
  tile_unset: [
    'uninitialised',
    'reads 4 bytes at byte * of local memory s (4224 bytes, declared at {variable}), at {read}',
  ],
  tile_overrun: ['bounds', 'reads 4 bytes at byte * of local memory s (4224 bytes, declared at {variable}), at {read}'],
  input_overrun: ['bounds', 'reads 4 bytes at byte * of x (4096 bytes, argument 0), at {read}'],
  output_overrun: ['bounds', 'writes 4 bytes at byte 4096 of y (4096 bytes, argument 1), at {write}'],
  chain_unset: ['uninitialised', 'reads 4 bytes at byte 0 of y (4096 bytes, argument 1), at {read}'],
  runs_race: [
    'race',
    'writes 4 bytes at byte * of y (4096 bytes, argument 1), at {write}; thread (*,0,0) read it at {read}, and no barrier',
  ],
  runs_written: [
    'race',
    'thread (70,0,0) writes 4 bytes at byte 36 of y (4096 bytes, argument 1), at {again}; thread (2,0,0) wrote it at {write}',
  ],
  runs_over: ['race', 'thread (2,0,0) writes 4 bytes at byte 36 of y (4096 bytes, argument 1), at '],
  runs_groups: ['race', 'race between groups: group (1,0,0) thread (0,0,0) writes 4 bytes at byte 0 of y'],
  runs_part: ['uninitialised', 'reads 4 bytes at byte 156 of y (4096 bytes, argument 1), at {read}'],
  row_late: [
    'race',
    'thread (200,0,0) reads 4 bytes at byte 20 of y (4096 bytes, argument 1), at {read}; thread (5,0,0) wrote it at {write}',
  ],
  row_part: ['uninitialised', 'reads 2 bytes at byte 42 of y (4096 bytes, argument 1), at {read}'],
} as const;
/** In index order a thread that writes after one that is taken first is told. */
const ANY = new Set(['runs_written', 'runs_over']);

describeFaults({ file: 'loops.cu', schedules: SCHEDULES, faults: FAULTS, told: ANY, right: RIGHT });
