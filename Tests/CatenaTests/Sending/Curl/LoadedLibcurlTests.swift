#if os(Linux) && canImport(Glibc)
import Foundation
import Testing

/// The libcurl of the process: the system's, or one of those over which `.ci/libcurls` runs the tests.
@Suite(.limitedParallelism) struct LoadedLibcurlTests {
    private static let expected = ProcessInfo.processInfo.environment["CATENA_EXPECTED_LIBCURL"]

    @Test(
        "the process has loaded the expected version of libcurl", .enabled(if: expected != nil, "CATENA_EXPECTED_LIBCURL names no version"))
    func version() throws {
        let expected = try #require(Self.expected)
        let name = try #require(LoadedLibcurl.name)
        #expect(name == expected || name.hasPrefix(expected + "-"))
    }

    @Test("the process has one libcurl")
    func alone() throws {
        // A file of /proc reports no length, which the initializers of a string need.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let paths = Set(maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }.filter(Self.isLibcurl))
        #expect(paths.count == 1, "\(paths)")
    }

    private static func isLibcurl(_ path: Substring) -> Bool {
        path.contains("/libcurl.so") || path.contains("/libcurl-")
    }

    /// Tests that need the engine are skipped without it, so that this test names the versions where it must run.
    @Test("the engine runs over every libcurl from 7.76 on")
    func engine() throws {
        let words = try #require(LoadedLibcurl.words)
        #expect(Engine.isThere == !LoadedLibcurl.isOlder(than: 7, 76), "\(words): \(Engine.missing ?? "the engine runs")")
    }
}
#endif
