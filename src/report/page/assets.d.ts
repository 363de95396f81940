/** Parts of the page that the program carries as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
declare module '*/uPlot.iife.min.js' {
  const text: string;
  export default text;
}
declare module '*/script.js' {
  const text: string;
  export default text;
}
