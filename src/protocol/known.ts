/** The named keys of a loose object's type: unknown keys are kept at run time, but code does not reach for them. */
export type Known<T> = T extends object ? { [K in keyof T as string extends K ? never : K]: T[K] } : T;
