/**
 * Every failure of the emulated drivers under a whole run: bun scripts/emulated-failures.ts [cuda|hip|xpu|metal ...]. Each must be red on
 * the kernel that it came under, in the driver's words, with a SUMMARY that adds up and exit code 1.
 */
import { CHIP, isEmulated } from '../tests/lanes/emulated.ts';
import { failedRun } from '../tests/lanes/failed-run.ts';
import { FAILURES } from '../tests/lanes/failures.ts';

const asked = process.argv.slice(2);
const dialects = asked.length > 0 ? asked : Object.keys(CHIP);
let [ran, failed] = [0, 0];
for (const dialect of dialects) {
  if (!isEmulated(dialect)) throw new Error(`there is no emulated driver of ${dialect}`);
  for (const { what, words } of FAILURES) {
    if (words[dialect] === undefined) continue;
    const from = performance.now();
    const { problems } = await failedRun(dialect, what);
    ran++;
    failed += Math.min(problems.length, 1);
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    console.log(`${problems.length === 0 ? 'as it must' : 'NOT SO'}  ${dialect}  ${what}  ${seconds} s`);
    for (const problem of problems) console.log(`      ${problem}`);
  }
}
console.log(`${ran} runs, ${failed} not as they must`);
process.exitCode = failed === 0 ? 0 : 1;
