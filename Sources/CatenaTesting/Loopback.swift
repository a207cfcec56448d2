// Reexported because tests use the server's types, so that `import CatenaTesting` suffices.
@_exported public import CatenaLoopback
