/** The instructions that lanes can take together, as LLVM writes them. */

export const BYTES: Readonly<Record<string, number>> = {
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  half: 2,
  bfloat: 2,
  float: 4,
  double: 8,
  ptr: 8,
};
export const BINARY =
  /^(\S+) = ((?:add|sub|mul|shl|lshr|ashr|and|or|xor|fadd|fsub|fmul|fdiv)(?: (?:nuw|nsw|exact|disjoint|contract|nnan|ninf|nsz|arcp|afn|reassoc|fast))*) (i\d+|float|double|half|bfloat) (\S+), (\S+?)(?=,|$)/;
export const CAST =
  /^(\S+) = ((?:zext|sext|trunc|uitofp|sitofp|fpext|fptrunc|bitcast|ptrtoint)(?: (?:nneg|nuw|nsw))*) (\S+) (\S+) to (\S+?)(?=,|$)/;
export const COMPARE = /^(\S+) = ((?:icmp|fcmp)(?: samesign)? \w+) (\S+) (\S+), (\S+?)(?=,|$)/;
export const SELECT = /^(\S+) = select i1 (\S+), (\S+) (\S+), \3 (\S+?)(?=,|$)/;
export const ELEMENT =
  /^(\S+) = (getelementptr(?: (?:inbounds|nuw|nusw))*) ([^,]+), ptr (\S+), (i32|i64) (\S+?)(?=,|$)(?!, i\d+ )/;
export const READ = /^(\S+) = load (?!volatile|atomic)(\S+), ptr (\S+?)(?:, align (\d+))?(?=,|$)/;
export const WRITE = /^store (?!volatile|atomic)(\S+) (\S+), ptr (\S+?)(?:, align (\d+))?(?=,|$)/;
export const FUNCTION =
  /^(\S+) = (?:tail |notail )?call (?:[a-z]+ )*?(i\d+|float|double) @llvm\.(fma|fmuladd|umin|umax|smin|smax|fabs|maxnum|minnum|sqrt)\.(\w+)\(([^()]*)\)/;
export const SINGLE = /^(\S+) = (fneg|freeze) (\S+) (\S+?)(?=,|$)/;
export const IGNORED = /@llvm\.(?:experimental\.noalias\.scope\.decl|lifetime)\b|@llvm\.assume\(/;
export const OWN_PLACE = /^%(?:var|into|slot|mask)\./;

export const debugOf = (text: string): string => /, !dbg !\d+/.exec(text)?.[0] ?? '';
export const isName = (operand: string): boolean => operand.startsWith('%');

/** What may be made once for all lanes: it neither waits, nor traps, nor is seen by others. */
export const HARMLESS =
  /^\S+ = (?:add|sub|mul|shl|lshr|ashr|and|or|xor|f\w+|icmp|select|getelementptr|zext|sext|trunc|uitofp|sitofp|bitcast|ptrtoint|inttoptr|freeze|extractelement|insertelement|shufflevector|extractvalue) /;
