/** Compiles what does not compile, of which the library prints words of its own. */
import { compiledImages } from '../../../src/device/runtime-compilers/store.ts';

console.log('before');
const images = compiledImages('xpu', 'acm-g10', new Map());
const result = await images.get({ kind: 'fast', dialect: 'xpu', path: 'k/k.cl', text: 'no kernel', defines: {} });
if ('image' in result) throw new Error('it compiles');
console.log('after');
