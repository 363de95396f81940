/** The help text. It fits a terminal of 80 columns and 40 lines. */

export const USAGE = `tf-kernel-contract: may this GPU kernel land?

Runs every registered kernel through the gates, and every planted control that
must turn a gate red. Without a GPU, sources run on the host device.

  tf-kernel-contract [flags]
  tf-kernel-contract limits DIR    audits images that another host built
  tf-kernel-contract --offline DIR compiles for every chip, measures, compares
  tf-kernel-contract --faults      plants faults by rule: which gate kills each?

Select
  --only TEXT      part of a case's address, or a pattern with *; repeatable:
                   rms_rows   @metal:shapes   'rms_rows@*:sums:*'
  --gate NAME      nonfinite, repeat, shapes, sums, limits; repeatable
  --dialect NAME   cuda, hip, metal, xpu; repeatable
  --mode NAME      plain, fused, flushed, ulps-up, ulps-down, ulps-mixed, check
  --no-controls    leave the controls out; SUMMARY says so

Run
  --device NAME    host (default); cuda, hip, metal, xpu for a GPU
  --seed N         seed of every input (default 1)
  --jobs N         worker threads (default: one a core)
  --timeout S      seconds that one launch may take (default 30)
  --schedules N    gate 2 repeats in N orders, not 5; A,B in those two
  --strict-warps   in mode check a shuffle orders no accesses to memory
  --lockstep       in mode check a warp's lanes take turns at local memory

Show
  --list           the address of every case and control, then stop
  --devices        what each dialect runs on here, then stop
  --json FILE      write the results to FILE as well, as JSON
  --version        version, commit, platform
  -h, --help       this text

Environment
  NO_COLOR FORCE_COLOR TF_CLANG TF_NVCC TF_HIPCC TF_OCLOC TF_METAL TF_RECORDS

Exit codes
  0  all as promised         1  a gate, a control or a known finding is not, or
  2  a wrong command            nothing ran; 70 our own fault; 130, 143 a signal
`;
