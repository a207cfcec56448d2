#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes all of the bytes, however many calls of the system it takes. Gives the system's number for what went wrong; `nil` if nothing did.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = write(descriptor, part.baseAddress, part.count)
        if count < 0, errno == EINTR { continue }
        // No error and no bytes: there is no room.
        guard count > 0 else { return count < 0 ? errno : ENOSPC }
        rest = rest.dropFirst(count)
    }
    return nil
}
