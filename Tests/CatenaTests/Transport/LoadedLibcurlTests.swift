#if os(Linux) && canImport(Glibc)
import Foundation
import Testing

/// The libcurl of the process: the system's, or one of those over which `.ci/libcurls` runs the tests.
@Suite(.limitedParallelism) struct LoadedLibcurlTests {
    private static let expected = ProcessInfo.processInfo.environment["CATENA_EXPECTED_LIBCURL"]

    @Test("the process has loaded the libcurl that is meant", .enabled(if: expected != nil, "CATENA_EXPECTED_LIBCURL names no version"))
    func version() throws {
        let expected = try #require(Self.expected)
        let words = try #require(LoadedLibcurl.words)
        #expect(words.hasPrefix("libcurl/\(expected) "))
    }

    @Test("the process has one libcurl")
    func alone() throws {
        // A file of the system's that has no size is read to its end.
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        let paths = Set(
            maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }.filter {
                $0.contains("/libcurl.so") || $0.contains("/libcurl-")
            })
        #expect(paths.count == 1, "\(paths)")
    }

    /// Tests that need the engine are skipped where it is missing: this one says where it must not be.
    @Test("the engine runs over every libcurl from 7.76 on")
    func engine() throws {
        let words = try #require(LoadedLibcurl.words)
        let isNewEnough = !LoadedLibcurl.version.lexicographicallyPrecedes([7, 76])
        #expect(Engine.isThere == isNewEnough, "\(words): \(Engine.missing ?? "the engine runs")")
    }
}
#endif
