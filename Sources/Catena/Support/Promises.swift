// Promises are part of what callers write, so that `import Catena` alone is enough.
@_exported public import CatenaPromise
