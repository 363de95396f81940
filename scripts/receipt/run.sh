#!/bin/sh
# Runs the CUDA contract on this machine's first GPU, then a part of it under compute-sanitizer, and leaves what that came to in a folder:
# sh run.sh PROGRAM FOLDER [FLAGS ...]. It needs the program and nothing else of this project; `bun scripts/gpu-receipt.ts --from FOLDER`
# makes the page, here or elsewhere. RECEIPT_RUN_S and RECEIPT_TOOL_S are the seconds that the contract and each tool may take.
set -u
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
program=$1 folder=$2
shift 2
run_s=${RECEIPT_RUN_S:-300} tool_s=${RECEIPT_TOOL_S:-45}
mkdir -p "$folder" || exit 2
rm -f "$folder"/*.txt "$folder"/*.code "$folder/report.json"

# A command's output and its exit code, in files of a name; 124 where it took too long.
into() {
  name=$1 seconds=$2
  shift 2
  timeout -k 10 "$seconds" "$@" >"$folder/$name.txt" 2>&1
  echo $? >"$folder/$name.code"
}

date -u +%Y-%m-%d >"$folder/date.txt"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader >"$folder/machine.txt" 2>&1
into version 30 "$program" --version
into run "$run_s" "$program" --device cuda:0 --dialect cuda "$@" --json "$folder/report.json"
cat "$folder/run.txt"

sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
if [ -x "$sanitizer" ]; then
  # Kernels that are quick, and whose launches have local memory, barriers and tails. The program's lanes are children of it.
  for tool in memcheck racecheck; do
    into "$tool" "$tool_s" "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 9 "$program" --device cuda:0 \
      --only row_sum@cuda:repeat --only softmax_rows_f32@cuda:repeat --no-controls "$@"
  done
fi
exit "$(cat "$folder/run.code")"
