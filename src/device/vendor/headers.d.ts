/** Headers that the program carries as text. */
declare module '*.h' {
  const text: string;
  export default text;
}
