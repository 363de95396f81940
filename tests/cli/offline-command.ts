/** The commands of offline.ts and limits.ts as a program of their own, for their tests. */
import { limits } from '../../src/cli/limits.ts';
import { tell } from '../../src/cli/errors.ts';
import { offline } from '../../src/cli/offline.ts';

const [first, ...rest] = process.argv.slice(2);

try {
  process.exitCode = await (first === 'limits' ? limits(rest) : offline(process.argv.slice(2)));
} catch (error) {
  const { text, code } = tell(error);
  console.error(text);
  process.exitCode = code;
}
