package import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#else
#error("Files can be watched with inotify(7) and kqueue(2), of which this platform has neither.")
#endif

/// Waits for changes of files without polling, by notifications of the kernel.
package final class FileWatch {
    private let source: any DispatchSourceProtocol
    private let changes: AsyncStream<Void>

    /// Watches a folder with its direct contents, or one file.
    package init(_ url: URL) throws {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        #if canImport(Glibc)
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        let events = UInt32(IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE | IN_MOVE | IN_CREATE | IN_DELETE)
        guard descriptor >= 0, inotify_add_watch(descriptor, url.path(percentEncoded: false), events) >= 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(descriptor, &bytes, bytes.count) > 0 {}
            continuation.yield()
        }
        #else
        let descriptor = open(url.path(percentEncoded: false), O_EVTONLY)
        guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .link, .delete, .rename])
        source.setEventHandler { continuation.yield() }
        #endif
        source.setCancelHandler { close(descriptor) }
        source.resume()
        self.source = source
    }

    deinit { source.cancel() }

    /// Waits until a condition holds. Checks it once at the beginning and after each change.
    package func wait(until condition: () throws -> Bool) async rethrows {
        var iterator = changes.makeAsyncIterator()
        while try !condition() {
            guard await iterator.next() != nil else { return }
        }
    }
}
