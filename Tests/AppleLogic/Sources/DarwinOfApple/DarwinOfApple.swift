@_exported import Glibc

/// The function of Darwin gives its destructor no optional.
@discardableResult
public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>, _ destructor: @convention(c) (UnsafeMutableRawPointer) -> Void
) -> Int32 {
    // A destructor is called with what is not null.
    Glibc.pthread_key_create(key, unsafeBitCast(destructor, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self))
}

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}
