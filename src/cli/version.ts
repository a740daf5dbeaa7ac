declare const __EVALKIT_VERSION__: string;

/** The package's version, put in by the bundler. */
export const VERSION: string = __EVALKIT_VERSION__;
