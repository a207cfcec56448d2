// The server is part of what tests write, so that `import CatenaTesting` alone is enough.
@_exported public import CatenaLoopback
