@_exported import Glibc

/// Declares the destructor's parameter as on Darwin, where it is not optional.
@discardableResult
public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>, _ destructor: @convention(c) (UnsafeMutableRawPointer) -> Void
) -> Int32 {
    // A destructor never receives null.
    Glibc.pthread_key_create(key, unsafeBitCast(destructor, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self))
}

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}
