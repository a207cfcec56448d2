// Re-exported because callers use promises, so that `import Catena` is enough.
@_exported public import CatenaPromise
